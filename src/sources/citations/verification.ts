import type { Database } from '../../db/client.ts'
import { type Job, runJob } from '../../threads.ts'
import type { AskPublisher, AtPublisher } from '../library/publisher.ts'
import { isWithoutNumbers } from '../refs/grammar/number-words.ts'
import { type AnswerChecks, type AnswerToCheck, checkAnswer } from './check.ts'
import { Doc } from './quotations/doc.ts'
import type { Verification } from './verify.ts'
import { verifyLookups } from './verify-lookups.ts'

/** Time limit of one verification. Quotations not checked by then are left out. */
const verificationMs = 20_000

const file = new URL('./verify-text.ts', import.meta.url)
/** Its searches end within the time limit of a statement, and it may have waited for a thread. */
const verifying: Job = { file, lane: 'long', maxMs: 60_000 }
const checkingAnswers: Job = { file, lane: 'answers', maxMs: 60_000 }

/** Input of the thread. */
export type VerifyInThread = {
  /** URL of the database. The thread opens a connection of its own. */
  readonly url: string
  readonly timeMs: number
} & (
  | {
      readonly kind: 'text'
      readonly text: string
      readonly refs: readonly string[]
      readonly explain: boolean
    }
  | { readonly kind: 'answer'; readonly answer: AnswerToCheck }
  /** Nothing is checked; the thread and its connection are ready afterwards. */
  | { readonly kind: 'start' }
)

/**
 * Checks the quotations and refs of a text (see `verifyText`) in a thread, for at most 20 s.
 * @param signal when aborted, ends the thread and its connection.
 * @throws ServiceError `overloaded` when too many verifications wait; the reason of `signal`; database errors.
 */
export function verifyInThread(
  { url }: Database,
  {
    text,
    refs,
    explain = false,
  }: { readonly text: string; readonly refs: readonly string[]; readonly explain?: boolean },
  signal: AbortSignal,
): Promise<Verification> {
  const input: VerifyInThread = { kind: 'text', url, text, refs, explain, timeMs: verificationMs }
  return runJob<VerifyInThread, Verification>(verifying, input, signal)
}

/** When the thread of answers last got a job. It ends after 30 s without one. */
let lastUse = Number.NEGATIVE_INFINITY
const usedForMs = 20_000

/**
 * Starts the thread that checks answers, which takes up to a second after 30 idle ones. A turn that uses a tool will
 * probably quote. A failure is left to the check.
 */
export function startChecking({ url }: Database): void {
  if (performance.now() - lastUse < usedForMs) return
  lastUse = performance.now()
  const input: VerifyInThread = { kind: 'start', url, timeMs: verificationMs }
  runJob<VerifyInThread, undefined>(checkingAnswers, input).catch(() => undefined)
}

/**
 * Checks an answer and its question (see `checkAnswer`) in a thread that keeps its connection. Plain words without
 * quotations and numbers are checked at once. Refs that the library does not hold are asked of the publisher.
 * @throws ServiceError `overloaded` when too many answers wait; database errors.
 */
export async function checkInThread(
  { url, system }: Database,
  answer: AnswerToCheck,
  ask?: AskPublisher,
  signal?: AbortSignal,
): Promise<AnswerChecks> {
  const input: VerifyInThread = { kind: 'answer', url, answer, timeMs: verificationMs }
  const check = (): Promise<AnswerChecks> => {
    if (isPlain(answer)) return checkAnswer(answer, verifyLookups(system))
    lastUse = performance.now()
    return runJob<VerifyInThread, AnswerChecks>(checkingAnswers, input)
  }
  const checked = await check()
  if (ask === undefined || checked.unheld.length === 0) return checked
  const answers = await Promise.all(checked.unheld.map(async (ref) => [ref, await ask(ref, signal)] as const))
  const linked = new Map(answers.flatMap(([ref, one]) => (one.kind === 'linked' ? [[ref, one.at]] : [])))
  return withPublisher(answers.some(([, { kind }]) => kind === 'held') ? await check() : checked, linked)
}

function isPlain({ text, question }: AnswerToCheck): boolean {
  return isWithoutNumbers(text) && ![text, question].some((one) => new Doc(one).mayQuote)
}

function withPublisher(checked: AnswerChecks, linked: ReadonlyMap<string, AtPublisher>): AnswerChecks {
  const refs = checked.refs.map((check) => {
    const publisher = linked.get(check.ref)
    return publisher === undefined ? check : { ...check, publisher }
  })
  return { ...checked, refs }
}
