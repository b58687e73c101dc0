import { createInterface } from 'node:readline'
import { commandLine } from '../../accounts/audit.ts'
import { withTx } from '../../db/client.ts'
import { ServiceError } from '../../errors.ts'
import { randomBase62 } from '../../ids.ts'
import { addCollection } from '../../sources/collections/add-collection.ts'
import { findCollection } from '../../sources/collections/collections.ts'
import {
  type ExportPlace,
  exportPlace,
  openExport,
  placeName,
  reachExport,
} from '../../sources/collections/export-place.ts'
import { type Plan, planCollection } from '../../sources/collections/plan.ts'
import { needsPermission, type Survey, surveyPlan } from '../../sources/collections/survey.ts'
import { reportLines } from '../../sources/importers/sefaria/report.ts'
import type { RestrictedLicense } from '../../sources/library/licenses.ts'
import { collectionStates } from '../../sources/library-jobs/collection-states.ts'
import { driveJob } from '../../sources/library-jobs/drive-job.ts'
import { beginJob } from '../../sources/library-jobs/jobs.ts'
import type { Arguments, Command, Invocation, Output } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'
import { collectionList, permissionQuestion, planLines } from './collection-lines.ts'
import { allowedLicenses, exitCodeOf, licenseOption } from './import-options.ts'
import { progressBar } from './import-progress.ts'

export const collectionCommands: Readonly<Record<string, Command>> = {
  'sources add': {
    usage: '[NAME] [FOLDER] [--base-url URL] [--allow-license cc-by-nc|unknown]... [--yes]',
    summary:
      'adds or updates a collection of works from Sefaria: tanya, chabad, breslov and others; without NAME, lists them',
    options: { ...licenseOption, 'base-url': { type: 'string' }, yes: { type: 'boolean' } },
    words: [0, 2],
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
  const states = await collectionStates(installation.database.system)
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
    throw new ServiceError(
      'invalid_value',
      '--base-url takes an address that begins with http:// or https://.',
    )
  }
  return exportPlace(words[1] ?? baseUrl ?? config.libraryExport)
}

/** Ends with 2 when it needs an answer that nobody can give, and with 130 after Ctrl-C. */
async function add(invocation: Invocation): Promise<Output> {
  const { value, interrupted } = await untilInterrupted((signal) => addWith(invocation, signal))
  return interrupted ? { ...value, exitCode: 130 } : value
}

async function addWith(invocation: Invocation, signal: AbortSignal): Promise<Output> {
  const { installation, progress } = invocation
  const { database } = installation
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
  const request = { collection: collection.name, allowLicenses: permission, requestedBy: commandLine }
  const job = await withTx(database, 'system', (tx) => beginJob(tx, request, `command-${randomBase62(12)}`))
  const report = await driveJob(
    database,
    job,
    (stop, onProgress) => {
      const show = progressBar(invocation)
      return addCollection(database, source, plan, {
        survey,
        allowLicenses: permission,
        signal: stop,
        onProgress: (step) => {
          show(step)
          onProgress(step)
        },
      })
    },
    { stopped: signal, throws: true },
  )
  if (!report) throw new Error('the import gave no report')
  return {
    rows: { ...report, collection: collection.name, missing: plan.missing },
    lines: [...reportLines(report), ...(report.interrupted ? [] : [addedLine(plan)])],
    exitCode: report.interrupted ? 130 : report.failed.length > 0 ? 1 : exitCodeOf(report),
  }
}

function addedLine({ collection }: Plan): string {
  return `${collection.title.en} is in the library. Ask about it, or search: npm run -s service -- sources search "WORDS"`
}

function nothingThere({ collection }: Plan, place: ExportPlace): ServiceError {
  return new ServiceError(
    'not_found',
    `${placeName(place)} has no work of the collection "${collection.name}". Name another folder, or a mirror with --base-url.`,
  )
}

/** The licences that the command line allows, and those that the last complete import of the collection had. */
async function permittedBefore(invocation: Invocation): Promise<readonly RestrictedLicense[]> {
  const states = await collectionStates(invocation.installation.database.system)
  const before = states.find(({ collection }) => collection.name === invocation.words[0])?.allowed ?? []
  return [...new Set([...allowedLicenses(invocation), ...before])]
}

type Permission = readonly RestrictedLicense[] | 'unanswered' | 'stopped'

/** Asks once about texts whose licence needs permission. `--yes` asks nothing and permits nothing more. */
async function askPermission(
  { flag }: Invocation,
  survey: Survey,
  allowed: readonly RestrictedLicense[],
  signal: AbortSignal,
): Promise<Permission> {
  const needed = needsPermission(survey, allowed)
  if (signal.aborted) return 'stopped'
  if (needed.length === 0 || flag('yes')) return allowed
  if (!process.stdin.isTTY || !process.stderr.isTTY) return 'unanswered'
  const answer = await ask(permissionQuestion(survey, needed), signal)
  if (answer === undefined) return 'stopped'
  return /^\s*(y|yes|כן|כ)\s*$/i.test(answer) ? [...allowed, ...needed] : allowed
}

/** Undefined after Ctrl-C or at the end of the input. */
function ask(question: string, signal: AbortSignal): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  return new Promise((resolve) => {
    lines.once('close', () => resolve(undefined))
    lines.once('SIGINT', () => lines.close())
    signal.addEventListener('abort', () => lines.close())
    lines.question(question, (answer) => {
      resolve(answer)
      lines.close()
    })
  })
}

function unanswered(
  { words, text }: Invocation,
  survey: Survey,
  allowed: readonly RestrictedLicense[],
): Output {
  const needed = needsPermission(survey, allowed)
  const options = needed.map((kind) => `--allow-license ${kind}`).join(' ')
  const mirror = text('base-url')
  const again = `npm run -s service -- sources add ${words.join(' ')}${mirror ? ` --base-url ${mirror}` : ''}`
  return {
    rows: { needs_permission: needed, added: false },
    lines: [
      'Nothing was added: there is no terminal to ask about the licences that need permission.',
      `  Without those texts:  ${again} --yes`,
      `  With those texts:     ${again} --yes ${options}`,
    ],
    exitCode: 2,
  }
}
