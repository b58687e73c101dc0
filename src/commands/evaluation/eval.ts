import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { instructionText } from '../../agent/prompts/prompts.ts'
import { withTx } from '../../db/client.ts'
import { invalidValue, messageOf, ServiceError } from '../../errors.ts'
import { findMissing } from '../../evaluation/questions/library-refs.ts'
import { hashOfQuestions, type Question } from '../../evaluation/questions/question.ts'
import { readQuestions } from '../../evaluation/questions/read-questions.ts'
import { comparisonPage } from '../../evaluation/reports/comparison-page.ts'
import { evaluationPage } from '../../evaluation/reports/evaluation-page.ts'
import { comparisonLines, evaluationLines } from '../../evaluation/reports/tables.ts'
import { compareEvaluations, readEvaluation } from '../../evaluation/scores/compare.ts'
import type { Evaluation } from '../../evaluation/scores/evaluation.ts'
import { scoreAll } from '../../evaluation/scores/score-all.ts'
import { missedLimits, readLimits } from '../../evaluation/scores/thresholds.ts'
import { askAll } from '../../evaluation/turns/ask-all.ts'
import { findAsker } from '../../evaluation/turns/evaluation-account.ts'
import { type EvaluationFolder, openEvaluationFolder } from '../../evaluation/turns/evaluation-folder.ts'
import { readHostInstructions } from '../../models/host-instructions.ts'
import type { Arguments, Command, Invocation, Output } from '../command.ts'
import { untilInterrupted } from '../interruption.ts'
import { countOption } from '../printing/list-pages.ts'
import { withTurns } from './turn-services.ts'

export const evalCommands: Readonly<Record<string, Command>> = {
  eval: {
    usage:
      'FILE [--model ID] [--instructions FILE] [--account E] [--concurrency N] [--limit N] [--only ID]... [--output DIR] [--ask-all] [--min-found 0.8] [--min-refused 0.8] [--min-verified 0.9] [--max-forbidden N] [--max-invented N]',
    summary: 'asks a file of questions through real turns, and reports how the answers and their sources are',
    check: async (given) => {
      await readAsked(given)
      const file = given.text('instructions')
      if (file !== undefined) await readHostInstructions(file, '--instructions')
    },
    run: evaluate,
  },
  'eval compare': {
    usage: 'A B [--output FILE]',
    summary: 'compares two evaluations: their folders or report.json files; --output writes a page',
    run: compare,
  },
}

async function evaluate(invocation: Invocation): Promise<Output> {
  const { installation, config, progress } = invocation
  const { questions, limits, concurrency, file } = await readAsked(invocation)
  const instructionsFile = invocation.text('instructions')
  return withTurns(invocation, { instructionsFile }, async (services) => {
    const model = invocation.text('model') ?? 'service'
    const offered = services.catalogue.find(model)
    if (!offered) {
      const known = services.catalogue.models.map(({ id }) => id)
      throw new ServiceError(
        'model_not_found',
        `There is no model "${model}". Use one of: ${known.join(', ')}.`,
      )
    }
    const asker = await findAsker(installation, invocation.text('account'))
    const missing = invocation.flag('ask-all')
      ? new Map<string, readonly string[]>()
      : await withTx(installation.library, 'system', (tx) => findMissing(tx, questions))
    const folder = await openEvaluationFolder(invocation.text('output') ?? newFolder(config.dataDir, model), {
      ...{ file, questions: hashOfQuestions(questions), model, account: asker.email },
      prompt: instructionText(offered.prompt.text).hash.slice(0, 12),
    })
    const applicable = questions.filter(({ id }) => !missing.has(id))
    progress(startLine(folder, questions, applicable))
    const end = await endOf((signal) =>
      askAll(services, { asker, model, evaluationId: folder.facts.id }, applicable, {
        ...{ folder, concurrency, signal },
        onAnswer: ({ done, total, question, answer }) =>
          progress(`${done}/${total}  ${question.id}  ${answer.error?.message ?? answer.status}`),
      }),
    )
    const { id, started_at, account, prompt } = folder.facts
    const evaluation = await withTx(installation.library, 'system', (tx) =>
      scoreAll(
        tx,
        { id, file, model, ...(prompt && { prompt }), account, started_at },
        questions,
        folder.answers,
        missing,
      ),
    )
    return reported(folder, evaluation, missedLimits(limits, evaluation.totals), end)
  })
}

/** What the command line asks for. @throws ServiceError for a wrong option or a wrong line of the file. */
async function readAsked(given: Arguments) {
  const [file = ''] = given.words
  return {
    file,
    limits: readLimits(given.text),
    concurrency: countOption(given, 'concurrency', 2, 32),
    questions: chosen(given, readQuestions(await readText(file))),
  }
}

type End = { readonly interrupted: boolean; readonly failure?: ServiceError }

/** How asking ended. An error that concerns all questions, such as too few credits, still leaves a report. */
async function endOf(work: (signal: AbortSignal) => Promise<void>): Promise<End> {
  try {
    return await untilInterrupted(work)
  } catch (error) {
    if (error instanceof ServiceError) return { interrupted: false, failure: error }
    throw error
  }
}

async function reported(
  folder: EvaluationFolder,
  evaluation: Evaluation,
  missed: readonly string[],
  { interrupted, failure }: End,
): Promise<Output> {
  const json = await folder.write('report.json', `${JSON.stringify(evaluation, null, 2)}\n`)
  const page = await folder.write('report.html', await evaluationPage(evaluation))
  const reason = failure ? ` ${failure.message}` : ''
  const stopped = `Stopped.${reason} The answers are kept. To go on, give the same command with --output ${folder.path}`
  const failed = evaluation.totals.failed > 0 || missed.length > 0 || failure !== undefined
  return {
    rows: evaluation,
    lines: [
      ...[...evaluationLines(evaluation), '', `Report: ${page}`, `        ${json}`, ...missed],
      ...(interrupted || failure ? ['', stopped] : []),
    ],
    exitCode: interrupted ? 130 : failed ? 1 : 0,
  }
}

async function compare({ words, text: option }: Invocation): Promise<Output> {
  const [a, b] = await Promise.all(
    words.map(async (word) => readEvaluation(await readText(await reportAt(word)), word)),
  )
  if (!a || !b) throw new Error('the command has two words')
  const rows = compareEvaluations(a, b)
  const file = option('output')
  const lines = comparisonLines(rows)
  if (file === undefined) return { rows, lines }
  await mkdir(path.dirname(path.resolve(file)), { recursive: true })
  await writeFile(file, await comparisonPage(rows))
  return { rows, lines: [...lines, '', `Page: ${file}`] }
}

async function reportAt(word: string): Promise<string> {
  const found = await stat(word).catch(() => undefined)
  return found?.isDirectory() ? path.join(word, 'report.json') : word
}

async function readText(file: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
  } catch (error) {
    const reason = error instanceof TypeError ? 'it is not UTF-8 text' : messageOf(error)
    throw invalidValue(`The file ${file} cannot be read: ${reason}. Check its path.`)
  }
}

/** A folder per evaluation. Only naming it with --output resumes it. */
function newFolder(dataDir: string, model: string): string {
  const moment = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  return path.join(dataDir, 'evaluations', `${moment}-${model}`)
}

/** The questions of `--only`, and the first ones of `--limit`. */
function chosen(given: Arguments, questions: readonly Question[]): readonly Question[] {
  const only = given.list('only')
  const unknown = only.find((id) => !questions.some((question) => question.id === id))
  if (unknown !== undefined) {
    throw invalidValue(`--only: the file has no question with the id "${unknown}".`)
  }
  const some = only.length === 0 ? questions : questions.filter(({ id }) => only.includes(id))
  return some.slice(0, countOption(given, 'limit', some.length, 1_000_000))
}

function startLine(
  folder: EvaluationFolder,
  all: readonly Question[],
  applicable: readonly Question[],
): string {
  const kept = applicable.filter(({ id }) => folder.answers.get(id)?.error === null).length
  const resumed = kept === 0 ? '' : `, ${kept} of them answered before`
  const lacking = all.length - applicable.length
  const skipped =
    lacking === 0 ? '' : `; ${lacking} are not applicable, because the library lacks their works`
  return `${folder.path}: ${applicable.length} questions to ask${resumed}${skipped}`
}
