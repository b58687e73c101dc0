import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Access } from './access.ts'
import { exchange } from './exchange.ts'
import { followEvents } from './follow.ts'
import type { Closing, History } from './history.ts'
import type { Intent } from './plan.ts'
import { questionText } from './questions.ts'
import { type Reply, readReply } from './replies.ts'
import { cancelRun, pollRun } from './watch.ts'

/** Services that a simulated client uses. */
export type Surroundings = {
  readonly access: () => Access
  readonly history: History
  /** Aborted when all clients stop retrying. */
  readonly over: AbortSignal
}

export type Client = { readonly key: string; readonly random: Random }

/**
 * Executes an intent, with the retries that its guard allows.
 * @returns the id of its session, if a reply contained it.
 */
export async function carryOut(
  world: Surroundings,
  client: Client,
  intent: Intent,
  sessionId?: string,
): Promise<string | undefined> {
  world.history.record({ type: 'intent', intent, ...(sessionId !== undefined && { sessionId }) })
  const task = new Task(world, client, intent, sessionId)
  const how = await task.run()
  await Promise.all(task.aside)
  world.history.record({ type: 'closed', intent: intent.id, how })
  return task.sessionId
}

/** Sends the request of a finished intent again, like a client that never received the reply. */
export function repeatRequest(
  world: Surroundings,
  client: Client,
  intent: Intent,
  sessionId: string | undefined,
): Promise<Reply> {
  const { leaveAfterMs: _, cancelAfterMs: __, follow: ___, ...patient } = intent
  return new Task(world, client, patient, sessionId).attempt(afterwards)
}

/** Number of the attempt that is made after the storm. */
const afterwards = 1_000

class Task {
  /** Work next to the request: following its events, cancelling it. */
  readonly aside: Promise<void>[] = []
  sessionId: string | undefined
  readonly #world: Surroundings
  readonly #client: Client
  readonly #intent: Intent
  readonly #body: string
  /** A separate generator per intent, so that events in one intent do not change the choices of the next. */
  readonly #random: Random
  #runId: string | undefined
  #hasLeft = false

  constructor(world: Surroundings, client: Client, intent: Intent, sessionId: string | undefined) {
    this.#world = world
    this.#client = client
    this.#intent = intent
    this.sessionId = sessionId
    this.#body = JSON.stringify(bodyOf(intent, sessionId))
    this.#random = client.random.fork(`retries of ${intent.id}`)
  }

  async run(): Promise<Closing> {
    for (let attempt = 0; ; attempt += 1) {
      const reply = await this.attempt(attempt)
      const how = await this.#closing(reply)
      if (how) return how
      if (this.#intent.guard === 'none') return 'left'
      if (this.#world.over.aborted) return 'gave up'
      await this.#pause(attempt, reply)
    }
  }

  /** Outcome of the reply for the client; undefined: the client must retry. */
  async #closing(reply: Reply): Promise<Closing | undefined> {
    if (reply.ending === 'left') return this.#intent.comesBack ? undefined : 'left'
    if (reply.ending !== 'complete') return undefined
    if (reply.status !== 200) return refusalOf(reply)
    if (this.#intent.delivery === 'background') return this.#poll(reply)
    switch (reply.runStatus) {
      case 'completed':
        return 'answered'
      case 'failed':
      case 'cancelled':
        return 'ended'
      default:
        // The service lost the run; a retry of the request finds it.
        return undefined
    }
  }

  async attempt(attempt: number): Promise<Reply> {
    const { history } = this.#world
    const { id } = this.#intent
    const at = this.#world.access().choose(this.#random)
    const sentAt = Date.now()
    history.record({ type: 'sent', intent: id, attempt, replica: at.name })
    const got = await exchange({
      ...at,
      method: 'POST',
      path: '/v1/chat/completions',
      headers: this.#headers(attempt),
      body: this.#body,
      timeoutMs: this.#intent.timeoutMs,
      leaveAfterMs: this.#hasLeft ? undefined : this.#intent.leaveAfterMs,
      onHeaders: (headers) => this.#heard(headers['x-service-run-id']),
    })
    if (got.ending === 'left') this.#hasLeft = true
    const reply = readReply(this.#intent, got)
    this.sessionId ??= reply.sessionId
    history.record({ type: outcomeOf(reply), intent: id, attempt, replica: at.name, sentAt, reply })
    return reply
  }

  #headers(attempt: number): Record<string, string> {
    const { guard, id } = this.#intent
    return {
      authorization: `Bearer ${this.#client.key}`,
      'content-type': 'application/json',
      ...(guard === 'key' && { 'idempotency-key': id }),
      ...(guard === 'sdk' && { 'x-stainless-retry-count': String(attempt) }),
    }
  }

  /** Starts the extra work as soon as the run's id is known. */
  #heard(runId: string | string[] | undefined): void {
    if (typeof runId !== 'string' || this.#runId !== undefined) return
    this.#runId = runId
    const { cancelAfterMs, follow } = this.#intent
    const run = { intent: this.#intent, runId, key: this.#client.key }
    if (cancelAfterMs !== undefined) {
      this.aside.push(cancelRun(this.#world, run, this.#random.fork('cancel'), cancelAfterMs))
    }
    if (follow) this.aside.push(followEvents(this.#world, run, this.#random.fork('follow'), follow))
  }

  async #poll({ runId }: Reply): Promise<Closing | undefined> {
    if (runId === undefined) return undefined
    const run = { intent: this.#intent, runId, key: this.#client.key }
    const seen = await pollRun(this.#world, run, this.#random)
    if (!seen) return 'gave up'
    return seen.status === 'completed' ? 'answered' : 'ended'
  }

  /**
   * Waits like the SDKs: as long as the service asks, otherwise with exponential backoff. The delays are
   * shorter to save time.
   */
  async #pause(attempt: number, reply: Reply): Promise<void> {
    // A load balancer uses the next replica at once.
    if (reply.ending === 'unreachable') return
    const backoffMs = Math.min(3_000, 200 * 2 ** attempt) * this.#random.between(0.5, 1)
    await delay(Math.min(reply.retryAfterMs ?? backoffMs, 3_000), undefined, {
      signal: this.#world.over,
    }).catch(() => undefined)
  }
}

function bodyOf(intent: Intent, sessionId: string | undefined): object {
  const stream = intent.delivery === 'stream'
  return {
    model: 'service',
    messages: [{ role: 'user', content: questionText(intent.question) }],
    ...(stream && { stream, ...(intent.includeUsage && { stream_options: { include_usage: true } }) }),
    x_service: {
      on_disconnect: intent.onDisconnect,
      progress: intent.progress,
      ...(sessionId !== undefined && { session_id: sessionId }),
      ...(intent.delivery === 'background' && { background: true }),
    },
  }
}

/** A refusal is final; a failure of the service or a rate limit is not. */
function refusalOf(reply: Reply): Closing | undefined {
  const { status = 0, final } = reply
  if (status === 502 && final) return 'ended'
  if (final) return 'refused'
  return status >= 500 || status === 429 || status === 408 ? undefined : 'refused'
}

/** After a failure of the service or a broken connection, the client does not know the outcome. */
function outcomeOf({ ending, status = 0 }: Reply): 'ok' | 'fail' | 'unknown' {
  if (ending === 'unreachable') return 'fail'
  if (ending !== 'complete' || status === 0) return 'unknown'
  if (status === 200) return 'ok'
  return status < 500 ? 'fail' : 'unknown'
}
