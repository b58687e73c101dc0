import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { withTx } from '../../db/client.ts'
import { type ErrorCode, messageOf, ServiceError } from '../../errors.ts'
import { admitTurn } from '../../turns/admit/admit-turn.ts'
import { requireModel } from '../../turns/admit/requested-model.ts'
import { endOfRun } from '../../turns/read/follow.ts'
import type { Run } from '../../turns/run/run.ts'
import { answerText, statusOf, type TerminalEvent } from '../../turns/run/run-events.ts'
import { findRun } from '../../turns/run/runs.ts'
import type { Services } from '../../turns/services.ts'
import type { Question } from '../questions/question.ts'
import type { Asker } from './evaluation-account.ts'
import type { AnswerEnd, KeptAnswer } from './kept-answer.ts'

/** What a turn needs; a part of `Services`. */
export type AskingServices = Pick<
  Services,
  'database' | 'library' | 'plans' | 'catalogue' | 'mcpServers' | 'runner' | 'limits' | 'log'
>

export type Asking = {
  readonly asker: Asker
  readonly model: string
  /** Identifies the evaluation. Resuming it finds the runs that it has started. */
  readonly evaluationId: string
}

/** Errors that every other question would get too. */
const fatal: ReadonlySet<ErrorCode> = new Set([
  'insufficient_credits',
  'account_suspended',
  'model_not_found',
  'database_unavailable',
])

/**
 * Asks one question in a session of its own, as a chat request does, and waits for the end of its run. A start that
 * has no slot waits for one. The same attempt at a question returns the same run for 24 hours, so resuming an
 * evaluation pays for no answer twice.
 * @param signal stops waiting; the run goes on.
 * @returns undefined if the run has not ended before `signal` was aborted.
 * @throws ServiceError that concerns all questions, such as `insufficient_credits`.
 */
export async function askQuestion(
  services: AskingServices,
  asking: Asking,
  question: Pick<Question, 'id' | 'question'>,
  attempt: number,
  signal: AbortSignal,
): Promise<KeptAnswer | undefined> {
  try {
    const run = await start(services, asking, question, attempt, signal)
    if (!run) return undefined
    const event = await endOfRun(services, run, signal)
    return event && answerOf(question.id, attempt, event, await readEnded(services, asking, run))
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof ServiceError) || fatal.has(error.code)) throw error
    return refused(question.id, attempt, error)
  }
}

/** Starts the run of a question, or finds the one that an earlier call started. */
async function start(
  services: AskingServices,
  { asker, model: modelId, evaluationId }: Asking,
  { id, question }: Pick<Question, 'id' | 'question'>,
  attempt: number,
  signal: AbortSignal,
): Promise<Run | undefined> {
  const model = requireModel(services, modelId)
  const messages = [{ role: 'user' as const, content: question }]
  const hash = createHash('sha256')
    .update(JSON.stringify([evaluationId, id, attempt]))
    .digest()
  const left = new AbortController().signal
  while (!signal.aborted) {
    try {
      const { run } = await admitTurn(services, asker.principal, {
        model: model.id,
        messages,
        sessionId: undefined,
        projectId: asker.projectId,
        request: { sampling: {}, clientTools: [], toolChoice: 'auto', sources: 'numbered' },
        identity: { hash, key: hash.toString('hex'), retried: false },
        onDisconnect: 'continue',
        left,
      })
      return run
    } catch (error) {
      await waitForSlot(error, signal)
    }
  }
  return undefined
}

/** Waits as long as the error says. @throws the error if it names no time. */
async function waitForSlot(error: unknown, signal: AbortSignal): Promise<void> {
  const seconds = error instanceof ServiceError ? error.retryAfterSeconds : undefined
  if (seconds === undefined) throw error
  await delay(seconds * 1_000, undefined, { signal }).catch(() => undefined)
}

async function readEnded({ database }: AskingServices, { asker }: Asking, { id }: Run): Promise<Run> {
  const run = await withTx(database, asker.principal, (tx) => findRun(tx, asker.principal, id))
  if (run) return run
  throw new ServiceError(
    'not_found',
    `The run ${id} was deleted while it was evaluated. Ask the question again.`,
  )
}

function answerOf(id: string, attempt: number, event: TerminalEvent, run: Run): KeptAnswer {
  const ended = run.finishedAt ?? new Date()
  const { sources, citations, quotations, unknown_marks, unknown_refs } = event.end
  const end: AnswerEnd = {
    text: answerText(event.end),
    sources,
    citations,
    quotations: quotations ?? [],
    unknown_marks,
    unknown_refs,
  }
  return {
    id,
    attempt,
    run_id: run.id,
    status: statusOf(event),
    error: errorOf(event),
    took_ms: Math.max(0, ended.getTime() - run.createdAt.getTime()),
    cost_micros: event.end.usage.cost_micros,
    end,
  }
}

function errorOf(event: TerminalEvent): KeptAnswer['error'] {
  if (event.type === 'run.failed') return { code: event.code, message: event.message }
  if (event.type === 'run.cancelled') return { code: 'cancelled', message: 'The run was cancelled.' }
  return answerText(event.end).trim() === ''
    ? { code: 'empty', message: 'The model answered with no text.' }
    : null
}

function refused(id: string, attempt: number, error: ServiceError): KeptAnswer {
  return {
    id,
    attempt,
    run_id: null,
    status: 'failed',
    error: { code: error.code, message: messageOf(error) },
    took_ms: 0,
    cost_micros: '0',
    end: null,
  }
}
