import { commandLine } from '../../accounts/audit.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, ServiceError } from '../../errors.ts'
import { randomBase62 } from '../../ids.ts'
import { addCollection, type CollectionProgress } from '../../sources/collections/add-collection.ts'
import { findCollection } from '../../sources/collections/collections.ts'
import {
  type ExportPlace,
  exportPlace,
  openExport,
  placeName,
  reachExport,
} from '../../sources/collections/export-place.ts'
import { type Plan, planCollection } from '../../sources/collections/plan.ts'
import { type Survey, surveyPlan } from '../../sources/collections/survey.ts'
import type { ExportSource } from '../../sources/importers/sefaria/export-source.ts'
import { reportLines } from '../../sources/importers/sefaria/report.ts'
import type { RestrictedLicense } from '../../sources/library/licenses.ts'
import { collectionStates } from '../../sources/library-jobs/collection-states.ts'
import { driveJob } from '../../sources/library-jobs/drive-job.ts'
import { beginJob } from '../../sources/library-jobs/jobs.ts'
import { serviceCommand } from '../../version/version.ts'
import type { Arguments, Command, Invocation, Output } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'
import { recorded, withoutSecrets } from '../library-audit.ts'
import { collectionList, planLines } from './collection-lines.ts'
import { allowedLicenses, exitCodeOf } from './import-options.ts'
import { withProgressBar } from './import-progress.ts'
import { askPermission, permittedBefore, unanswered } from './permission.ts'

export const collectionCommands: Readonly<Record<string, Command>> = {
  'sources add': {
    usage: '[NAME] [FOLDER] [--base-url URL] [--allow-license cc-by-nc|unknown]... [--yes]',
    summary:
      'adds or updates a collection of works from Sefaria: tanya, chabad, breslov and others; without NAME, lists them',
    check: async (given) => {
      allowedLicenses(given)
      if (given.words[0] === undefined) return
      findCollection(given.words[0])
      await reachExport(placeOf(given))
    },
    run: (invocation) => (invocation.words[0] === undefined ? list(invocation) : add(invocation)),
  },
}

async function list({ installation }: Invocation): Promise<Output> {
  const states = await collectionStates(installation.library.system)
  return {
    rows: states.map(({ collection, held, job, addedAt }) => ({
      name: collection.name,
      title: collection.title,
      description: collection.description,
      works: collection.works.length,
      held,
      languages: collection.languages,
      licenses: collection.licenses,
      status: job?.status ?? 'not added',
      added_at: addedAt?.toISOString() ?? null,
    })),
    lines: collectionList(states),
  }
}

/** @throws ServiceError `invalid_value` for an address that is none. */
function placeOf({ words, text, config }: Arguments): ExportPlace {
  const baseUrl = text('base-url')
  if (baseUrl !== undefined && !/^https?:\/\/[^/]/i.test(baseUrl)) {
    throw invalidValue('--base-url takes an address that begins with http:// or https://.')
  }
  return exportPlace(words[1] ?? baseUrl ?? config.libraryExport)
}

/** Ends with 2 when it needs an answer that nobody can give, and with 130 after Ctrl-C. */
async function add(invocation: Invocation): Promise<Output> {
  const { value, interrupted } = await untilInterrupted((signal) => addWith(invocation, signal))
  return interrupted ? { ...value, exitCode: 130 } : value
}

async function addWith(invocation: Invocation, signal: AbortSignal): Promise<Output> {
  const { progress } = invocation
  const collection = findCollection(invocation.words[0] ?? '')
  const place = placeOf(invocation)
  const source = await openExport(place)
  const plan = planCollection(collection, source)
  if (plan.works.length === 0) throw nothingThere(plan, place)
  const survey = await surveyPlan(source, plan, { signal })
  const allowed = await permittedBefore(invocation)
  for (const line of planLines(plan, survey, placeName(place), allowed)) progress(line)
  const permission = await askPermission(invocation, survey, allowed, signal)
  if (permission === 'unanswered') return unanswered(invocation, survey, allowed)
  if (permission === 'stopped')
    return { rows: { interrupted: true }, lines: ['Nothing was added.'], exitCode: 130 }
  const details = {
    command: 'sources add',
    collection: collection.name,
    from: withoutSecrets(placeName(place)),
    licences_allowed: permission.join(' ') || 'none',
  }
  return recorded(invocation, { action: 'library.imported', details }, () =>
    importPlan(invocation, { source, plan, survey, allowLicenses: permission }, signal),
  )
}

type Chosen = {
  readonly source: ExportSource
  readonly plan: Plan
  readonly survey: Survey
  readonly allowLicenses: readonly RestrictedLicense[]
}

/** Imports as a job, so that the operator's page shows the import and can cancel it. */
async function importPlan(
  invocation: Invocation,
  { source, plan, survey, allowLicenses }: Chosen,
  stopped: AbortSignal,
): Promise<Output> {
  const { library } = invocation.installation
  const { name } = plan.collection
  const request = { collection: name, allowLicenses, requestedBy: commandLine }
  const job = await withTx(library, 'system', (tx) => beginJob(tx, request, `command-${randomBase62(12)}`))
  const report = await driveJob(
    library,
    job,
    (signal, record) =>
      withProgressBar(invocation, (show) => {
        const onProgress = (step: CollectionProgress): void => {
          show(step)
          record(step)
        }
        return addCollection(library, source, plan, { survey, allowLicenses, signal, onProgress })
      }),
    { stopped, throws: true },
  )
  if (!report) throw new Error('the import gave no report')
  return {
    rows: { ...report, collection: name, missing: plan.missing },
    lines: [...reportLines(report), ...(report.interrupted ? [] : [addedLine(plan)])],
    exitCode: report.interrupted ? 130 : report.failed.length > 0 ? 1 : exitCodeOf(report),
  }
}

function addedLine({ collection }: Plan): string {
  return `${collection.title.en} is in the library. Ask about it, or search: ${serviceCommand} sources search "WORDS"`
}

function nothingThere({ collection }: Plan, place: ExportPlace): ServiceError {
  return new ServiceError(
    'not_found',
    `${placeName(place)} has no work of the collection "${collection.name}". Name another folder, or a mirror with --base-url.`,
  )
}
