import pLimit from 'p-limit'
import type { Question } from '../questions/question.ts'
import { type Asking, type AskingServices, askQuestion } from './ask-question.ts'
import type { EvaluationFolder } from './evaluation-folder.ts'
import type { KeptAnswer } from './kept-answer.ts'

export type AskingProgress = {
  readonly done: number
  readonly total: number
  readonly question: Question
  readonly answer: KeptAnswer
}

/**
 * Asks the questions that have no answer yet, and those that failed technically, and keeps each answer as it comes.
 * After `signal` is aborted it starts no question and returns at once; runs in progress go on, and resuming finds
 * them.
 * @throws what `askQuestion` throws; the answers before are kept.
 */
export async function askAll(
  services: AskingServices,
  asking: Asking,
  questions: readonly Question[],
  options: {
    readonly folder: EvaluationFolder
    readonly concurrency: number
    readonly signal: AbortSignal
    readonly onAnswer: (progress: AskingProgress) => void
  },
): Promise<void> {
  const { folder, signal } = options
  const open = questions.filter(({ id }) => folder.answers.get(id)?.error !== null)
  const failure = new AbortController()
  const stopped = AbortSignal.any([signal, failure.signal])
  let done = questions.length - open.length
  const limit = pLimit(options.concurrency)
  const ask = async (question: Question) => {
    if (stopped.aborted) return
    const attempt = (folder.answers.get(question.id)?.attempt ?? 0) + 1
    const answer = await askQuestion(services, asking, question, attempt, stopped)
    if (!answer) return
    await folder.keep(answer)
    done += 1
    options.onAnswer({ done, total: questions.length, question, answer })
  }
  await Promise.all(
    open.map((question) =>
      limit(() =>
        ask(question).catch((error: unknown) => {
          failure.abort()
          throw error
        }),
      ),
    ),
  )
}
