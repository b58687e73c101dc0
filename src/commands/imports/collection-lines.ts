import type { Collection } from '../../sources/collections/collection.ts'
import { filesOf, type Plan } from '../../sources/collections/plan.ts'
import type { LicenseCount, Survey } from '../../sources/collections/survey.ts'
import { mayImport, type RestrictedLicense } from '../../sources/library/licenses.ts'
import type { CollectionState } from '../../sources/library-jobs/collection-states.ts'
import { serviceCommand } from '../../version/version.ts'

/** The list of collections, for people. */
export function collectionList(states: readonly CollectionState[]): readonly string[] {
  return [
    ...states.flatMap((state) => {
      const { collection, held } = state
      const { name, works, title, description } = collection
      const more = collection.categories ? ' and others' : ''
      return [
        `${name.padEnd(16)}${title.en} · ${title.he}   ${stateText(state)}`,
        `    ${description.en}`,
        `    ${works.length} ${works.length === 1 ? 'work' : 'works'}${more}, ${held} in the library · ${languageNames(collection)} · licences: ${collection.licenses.join(', ')}`,
      ]
    }),
    '',
    `Add one: ${serviceCommand} sources add NAME`,
  ]
}

function stateText({ job, addedAt }: CollectionState): string {
  const added = addedAt === undefined ? '' : `added ${addedAt.toISOString().slice(0, 10)}`
  switch (job?.status) {
    case 'queued':
      return '[waiting]'
    case 'running':
      return '[being added]'
    case 'cancelled':
      return added ? `[${added}; the last update was stopped]` : '[stopped; run it again to go on]'
    case 'failed':
      return added ? `[${added}; the last update failed]` : `[failed: ${job.error ?? 'no reason recorded'}]`
    default:
      return added ? `[${added}]` : '[not added]'
  }
}

const names = new Intl.DisplayNames('en', { type: 'language' })

/** Such as `Hebrew, English`. */
function languageNames({ languages }: Collection): string {
  return languages.map((code) => names.of(code) ?? code).join(', ')
}

/** What an import brings, from where, how large and under which licences. */
export function planLines(
  plan: Plan,
  survey: Survey,
  place: string,
  allowed: readonly RestrictedLicense[],
): readonly string[] {
  const { collection, works, missing, renamed } = plan
  const files = filesOf(plan).length
  return [
    `${collection.title.en} (${collection.title.he}): ${collection.description.en}`,
    `  From:      ${place}`,
    `  Works:     ${works.length}: ${shortList(works.map(({ title }) => title))}`,
    `  Size:      ${files} files (versions), ${sizeText(survey, files)}`,
    ...survey.licenses.map(
      (count, i) => `  ${(i === 0 ? 'Licences:' : '').padEnd(11)}${licenseText(count, allowed)}`,
    ),
    ...(survey.unseen > 0
      ? [`  ${''.padEnd(11)}not known yet: ${counted(survey.unseen)} (the licence is checked with the text)`]
      : []),
    ...(renamed.length > 0
      ? [`  Renamed:   ${renamed.map(({ listed, found }) => `${listed} is there as ${found}`).join('; ')}`]
      : []),
    ...(missing.length > 0 ? [`  Not there: ${missing.join(', ')}`] : []),
  ]
}

function licenseText({ license, files }: LicenseCount, allowed: readonly RestrictedLicense[]): string {
  const text = `${license}: ${counted(files)}`
  return mayImport(license, allowed) ? text : `${text} (needs permission)`
}

function counted(files: number): string {
  return `${files} ${files === 1 ? 'file' : 'files'}`
}

const maxTitles = 12

function shortList(titles: readonly string[]): string {
  const shown = titles.slice(0, maxTitles).join(', ')
  return titles.length > maxTitles ? `${shown} and ${titles.length - maxTitles} more` : shown
}

function sizeText({ bytes, totalBytes }: Survey, files: number): string {
  if (bytes.size === files) return megabytes(totalBytes)
  return bytes.size === 0 ? 'of unknown size' : `more than ${megabytes(totalBytes)}`
}

/** Such as `7.2 MB`. */
function megabytes(bytes: number): string {
  return bytes < 100_000 ? `${Math.ceil(bytes / 1_000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** The one question before an import. */
export function permissionQuestion(
  { licenses, unseen }: Survey,
  needed: readonly RestrictedLicense[],
): string {
  const filesUnder = (kind: RestrictedLicense) =>
    licenses.filter((count) => count.kind === kind).reduce((sum, { files }) => sum + files, 0)
  const reasons = {
    'cc-by-nc': 'for non-commercial use only',
    unknown: 'without a known licence',
  }
  const counts = [
    ...needed.map((kind) => ({ files: filesUnder(kind), reason: reasons[kind] })),
    { files: unseen, reason: 'whose licence is not known yet' },
  ]
  const parts = counts.filter(({ files }) => files > 0).map(({ files, reason }) => `${files} ${reason}`)
  return `These files need permission: ${parts.join(', ')}.\nAdd them, too? Without them the rest is added. [y/N] `
}
