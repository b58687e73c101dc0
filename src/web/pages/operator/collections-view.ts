import type { CollectionProgress } from '../../../sources/collections/add-collection.ts'
import { filesOf, type Plan } from '../../../sources/collections/plan.ts'
import type { LicenseCount, Survey } from '../../../sources/collections/survey.ts'
import type { RestrictedLicense } from '../../../sources/library/licenses.ts'
import type { CollectionState } from '../../../sources/library-jobs/collection-states.ts'
import type { JobSummary } from '../../../sources/library-jobs/job-summary.ts'
import { factList } from '../../components/fact-list.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, type Page } from '../../components/page.ts'
import { bytesText } from '../../components/sizes.ts'
import { counted, languageName } from '../../components/texts.ts'
import { formatDate, formatDuration } from '../../components/times.ts'
import { operatorPage } from './operator-page.ts'

/** What an export has of a collection; `problem` when it could not be asked. */
export type Offer = { readonly plan: Plan; readonly survey: Survey } | { readonly problem: string }

const pathOf = ({ collection }: CollectionState) => `/operator/library/collections/${collection.name}`

/** The script of the page draws an entry again when this changes. */
const statusOf = ({ job }: CollectionState) => {
  const isStopping = job?.status === 'running' && job.cancelRequestedAt !== null
  return isStopping ? 'stopping' : (job?.status ?? '')
}

const isUnfinished = ({ job }: CollectionState) => job?.status === 'queued' || job?.status === 'running'

/** All collections with their states. While an import is unfinished, a script keeps this part up to date. */
export function collectionSection(states: readonly CollectionState[]): Html {
  const live = states.some(isUnfinished) ? html` data-live` : nothing
  return html`<section id="collections"${live}><h2>Collections</h2>
<p class="faint">Curated works from Sefaria's public export. On the command line:
<code>npm run -s service -- sources add</code></p>
<ul class="collections">${states.map(collectionEntry)}</ul></section>`
}

function collectionEntry(state: CollectionState): Html {
  const { collection, held } = state
  const { name, title, description, works, categories } = collection
  const size = `${held} of ${counted(works.length, 'listed work')}${categories ? ' (and others)' : ''}`
  return html`<li class="card" data-job="${name}" data-status="${statusOf(state)}">
<div class="head"><h3>${title.en} <span lang="he" dir="rtl">${title.he}</span></h3>${actionOf(state)}</div>
<p>${description.en}</p>
<p class="faint">In the library: ${size} · ${collection.languages.map(languageName).join(', ')}</p>
${stateOf(state)}</li>`
}

function actionOf(state: CollectionState): Html {
  const { job, addedAt, collection } = state
  if (isUnfinished(state)) {
    const isStopping = statusOf(state) === 'stopping'
    const label = isStopping ? 'Stopping…' : 'Cancel'
    return html`<form method="post" action="${pathOf(state)}/cancel"><button class="quiet"
aria-label="${label} ${collection.title.en}"${isStopping ? html` disabled` : nothing}>${label}</button></form>`
  }
  const label = addedAt ? 'Update' : job ? 'Go on' : 'Add'
  return html`<a class="button quiet" href="${pathOf(state)}"
aria-label="${label} ${collection.title.en}">${label}</a>`
}

function stateOf({ job, addedAt, collection }: CollectionState): Html {
  const added = addedAt ? html`Added ${formatDate(addedAt)}. ` : nothing
  switch (job?.status) {
    case 'queued':
      return html`<p class="job">${added}Waiting to start.</p>`
    case 'running':
      return runningState(collection.title.en, job.progress as CollectionProgress | null)
    case 'cancelled':
      return html`<p class="job">${added}The last import was cancelled. What was added is kept.</p>`
    case 'failed':
      return html`<p class="job">${added}<span class="failed">The last import failed:</span> ${job.error}</p>`
    case 'done':
      return html`<p class="job">${added}${summaryText(job.report as JobSummary | null)}</p>`
    default:
      return html`<p class="job">Not added.</p>`
  }
}

function runningState(title: string, progress: CollectionProgress | null): Html {
  const share = progress?.share ?? 0
  return html`<p class="job"><progress max="100" value="${Math.floor(share * 100)}"
aria-label="Adding ${title}"></progress> <span class="doing">${progressText(progress)}</span></p>`
}

function progressText(progress: CollectionProgress | null): string {
  if (!progress) return 'Looking at what comes…'
  const { done, total, segments, seconds, share, title } = progress
  const rate =
    seconds > 0 && segments > 0 ? ` · ${Math.round(segments / seconds).toLocaleString('en')} per second` : ''
  const left =
    share > 0.01 && share < 1 && seconds > 2
      ? ` · ${formatDuration((seconds / share) * (1 - share) * 1_000)} left`
      : ''
  return `${done} of ${counted(total, 'work')} · ${counted(segments, 'passage')}${rate}${left} · ${title}`
}

function summaryText(report: JobSummary | null): Html {
  if (!report) return nothing
  const { works, versions, segments, unchanged, leftOut, failed } = report
  const imported = [
    counted(versions, 'version'),
    `of ${counted(works, 'work')} with ${counted(segments, 'passage')} imported,`,
    `${unchanged} unchanged.`,
  ].join(' ')
  const said = versions === 0 ? `${counted(unchanged, 'version')} unchanged.` : imported
  const reasons = leftOut.map(({ why, files }) => html`<li>${counted(files, 'file')}: ${why}</li>`)
  if (reasons.length === 0) return html`${said}`
  const label = failed > 0 ? `Left out, ${failed} of them by errors` : 'Left out'
  return html`${said} <details><summary>${label}</summary><ul>${reasons}</ul></details>`
}

/** One collection: what comes, from where, how large, under which licences, and the button that starts. */
export function collectionPage(shown: {
  readonly state: CollectionState
  readonly offer: Offer
  readonly place: string
}): Page {
  const { state, offer, place } = shown
  const { title, description } = state.collection
  return operatorPage({
    title: `Add ${title.en}`,
    path: '/operator/library',
    main: html`<section class="card narrow-left"><h2>${title.en} <span lang="he" dir="rtl">${title.he}</span></h2>
<p>${description.en}</p><p lang="he" dir="rtl">${description.he}</p>
${'problem' in offer ? unreachable(state, offer.problem) : startForm(state, offer, place)}
<p><a href="/operator/library#collections">Back to the library</a></p></section>`,
  })
}

function unreachable({ collection }: CollectionState, problem: string): Html {
  return html`${notice('problem', problem.split('\n')[0])}
<p>Set <code>LIBRARY_EXPORT</code> to a folder with the export or to the base URL of a mirror, and restart the service.
Or add the collection on the command line:</p>
<pre tabindex="0" dir="ltr"><code>npm run -s service -- sources add ${collection.name} FOLDER</code></pre>`
}

function startForm(
  state: CollectionState,
  { plan, survey }: { readonly plan: Plan; readonly survey: Survey },
  place: string,
): Html {
  if (plan.works.length === 0) return notice('problem', `${place} has no work of this collection.`)
  return html`${factList([
    ['From', html`<bdi class="url">${place}</bdi>`],
    ['Size', sizeText(plan, survey)],
    ['Works', html`<bdi>${plan.works.map(({ title }) => title).join(', ')}</bdi>`],
    plan.renamed.length > 0 && [
      'Renamed',
      plan.renamed.map(({ listed, found }) => `${listed} is there as ${found}`).join('; '),
    ],
    plan.missing.length > 0 && ['Not there', plan.missing.join(', ')],
    ['Free licences', licenseList(survey.licenses.filter(({ kind }) => kind === 'open')) || 'none'],
  ])}
${isUnfinished(state) ? notice('note', 'This collection is being added.') : permissionForm(state, survey)}`
}

function sizeText(plan: Plan, { bytes, totalBytes }: Survey): string {
  const files = filesOf(plan).length
  const known = bytes.size === files ? bytesText(totalBytes) : `more than ${bytesText(totalBytes)}`
  return `${counted(plan.works.length, 'work')}, ${counted(files, 'file')}${bytes.size === 0 ? '' : `, ${known}`}`
}

function licenseList(licenses: readonly LicenseCount[]): string {
  return licenses.map(({ license, files }) => `${license}: ${counted(files, 'file')}`).join(', ')
}

const permissions = [
  {
    kind: 'cc-by-nc',
    label: 'Also texts for non-commercial use',
    meaning: 'Allow them only if this service is not commercial.',
  },
  {
    kind: 'unknown',
    label: 'Also texts without a known licence',
    meaning: 'You answer for the right to use them.',
  },
] as const

function permissionForm(state: CollectionState, survey: Survey): Html {
  const boxes = permissions.map(({ kind, label, meaning }) => {
    const found = survey.licenses.filter((count) => count.kind === kind)
    if (found.length === 0 && survey.unseen === 0) return nothing
    const files = licenseList(found) || `${counted(survey.unseen, 'file')} whose licence is not known yet`
    return permissionBox(kind, label, `${files}. ${meaning}`, state.allowed.includes(kind))
  })
  const asked = boxes.some((box) => box !== nothing)
  return html`<form method="post" action="${pathOf(state)}/start">
${asked ? html`<fieldset><legend>Licences that need your permission</legend>${boxes}</fieldset>` : nothing}
<p class="row"><button>${state.addedAt ? 'Update' : 'Add to the library'}</button>
<a href="/operator/library#collections">Cancel</a></p></form>`
}

function permissionBox(kind: RestrictedLicense, label: string, hint: string, on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="allow" value="${kind}"${on ? html` checked` : nothing}>
<span>${label} <small>${hint}</small></span></label>`
}
