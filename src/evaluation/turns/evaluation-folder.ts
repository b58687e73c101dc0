import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { messageOf, ServiceError } from '../../errors.ts'
import { randomBase62 } from '../../ids.ts'
import type { KeptAnswer } from './kept-answer.ts'

/** What an evaluation asks, and since when. It never changes in a folder. */
export type EvaluationFacts = {
  readonly id: string
  readonly file: string
  /** `hashOfQuestions` of the questions. */
  readonly questions: string
  readonly model: string
  /** First digits of the hash of the prompt, the host's instructions included. Absent in folders of version 0.2.0. */
  readonly prompt?: string
  readonly account: string
  readonly started_at: string
}

type WantedFacts = Omit<EvaluationFacts, 'id' | 'started_at'>

/** The folder of an evaluation: its facts, and the answers so far. */
export type EvaluationFolder = {
  readonly path: string
  readonly facts: EvaluationFacts
  /** The latest answer to each question. */
  readonly answers: ReadonlyMap<string, KeptAnswer>
  /** Keeps one more answer. */
  keep(answer: KeptAnswer): Promise<void>
  /** Writes a report beside the answers. @returns its path. */
  write(name: 'report.json' | 'report.html', text: string): Promise<string>
}

const factsName = 'evaluation.json'
const answersName = 'answers.jsonl'

/**
 * Opens the folder of an evaluation, or creates it. A folder with answers is resumed.
 * @throws ServiceError `invalid_value` if it cannot be written, or belongs to other questions, another model,
 *   prompt or account.
 */
export async function openEvaluationFolder(folder: string, wanted: WantedFacts): Promise<EvaluationFolder> {
  const facts = await openFacts(folder, wanted)
  const kept = path.join(folder, answersName)
  const answers = new Map(readAnswers(await readIfThere(kept)).map((answer) => [answer.id, answer]))
  // A process that was killed may have left half a line.
  let needsNewline = !/(^|\n)$/.test(await readIfThere(kept))
  return {
    path: folder,
    facts,
    answers,
    async keep(answer) {
      const lead = needsNewline ? '\n' : ''
      needsNewline = false
      answers.set(answer.id, answer)
      await appendFile(kept, `${lead}${JSON.stringify(answer)}\n`)
    },
    async write(name, text) {
      const file = path.join(folder, name)
      await writeFile(file, text)
      return file
    },
  }
}

async function openFacts(folder: string, wanted: WantedFacts): Promise<EvaluationFacts> {
  const file = path.join(folder, factsName)
  try {
    await mkdir(folder, { recursive: true })
    const text = await readIfThere(file)
    if (text !== '') return matching(folder, JSON.parse(text) as EvaluationFacts, wanted)
    const facts = { id: `eval_${randomBase62(20)}`, ...wanted, started_at: new Date().toISOString() }
    await writeFile(file, `${JSON.stringify(facts, null, 2)}\n`, { flag: 'wx' })
    return facts
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError(
      'invalid_value',
      `The folder ${folder} cannot be used: ${messageOf(error)}. Choose another with --output.`,
    )
  }
}

const names = {
  questions: 'other questions',
  model: 'another model',
  prompt: 'another prompt',
  account: 'another account',
} as const

function matching(folder: string, facts: EvaluationFacts, wanted: WantedFacts): EvaluationFacts {
  const differs = (['questions', 'model', 'prompt', 'account'] as const).find(
    (name) => facts[name] !== undefined && facts[name] !== wanted[name],
  )
  if (differs === undefined) return facts
  const was = differs === 'questions' ? `the content of ${facts.file} as it was then` : facts[differs]
  throw new ServiceError(
    'invalid_value',
    `The folder ${folder} has an evaluation of ${names[differs]} (${was}). Choose another folder with --output.`,
  )
}

function readAnswers(text: string): readonly KeptAnswer[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as KeptAnswer]
    } catch {
      return []
    }
  })
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
