import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { Agent, request } from 'undici'
import type { Peppers } from '../accounts/keys/pepper.ts'
import { isPublicAddress, isPublicHost } from '../addresses/public-hosts.ts'
import { type Database, withBackgroundTx } from '../db/client.ts'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { startPeriodicTask } from '../periodic-work.ts'
import {
  type Attempt,
  claimDeliveries,
  type Due,
  isDelivered,
  maxAttempts,
  type Outcome,
  perEndpoint,
  settleDeliveries,
} from './deliveries.ts'
import { signingSecrets } from './endpoints.ts'

/** How soon a replica sees a new row. */
const everyMs = 1_000
const retryMs = 5_000
/** Requests of a replica at a time. */
const maxOpen = 50
/** From the connection to the end of the reply. */
const timeoutMs = 10_000

export type WebhookOptions = {
  readonly peppers: Peppers
  /** Whether endpoints may be in the private network of the service. */
  readonly allowPrivate: boolean
  /** Name and version, for `User-Agent`. */
  readonly userAgent: string
  readonly log: Logger
}

/** Delivers due events until it is stopped. Each attempt is one request; redirects are not followed. */
export function deliverWebhooks(database: Database, options: WebhookOptions): { stop(): Promise<void> } {
  const { log } = options
  const agent = new Agent({
    pipelining: 0,
    connect: { timeout: timeoutMs, ...(options.allowPrivate ? {} : { lookup: publicLookup }) },
  })
  /** Open requests by endpoint. */
  const open = new Map<string, number>()
  const running = new Set<Promise<void>>()
  const report = (error: unknown) =>
    log.warn({ reason: reasonOf(error) }, 'webhook deliveries could not be read or recorded')

  const settle = inBatches<Attempt>((batch) =>
    withBackgroundTx(database, (tx) => settleDeliveries(tx, batch)),
  )
  const attempt = async (due: Due) => {
    const outcome = await send(due, options, agent)
    await settle({ due, outcome })
    if (!isDelivered(outcome) && due.attempts >= maxAttempts)
      log.warn({ endpoint: due.endpoint.id, event: due.event, ...outcome }, 'a webhook delivery was given up')
  }

  const round = async () => {
    const free = maxOpen - running.size
    if (free <= 0) return
    const found = await withBackgroundTx(database, (tx) => claimDeliveries(tx, open, free))
    for (const due of found) {
      const { id } = due.endpoint
      open.set(id, (open.get(id) ?? 0) + 1)
      const ended: Promise<void> = attempt(due)
        .catch(report)
        .then(() => {
          running.delete(ended)
          const left = (open.get(id) ?? 1) - 1
          if (left === 0) open.delete(id)
          else open.set(id, left)
          // Half of its room is free: rounds for single requests would cost more than they send.
          if (left <= perEndpoint / 2) task.runSoon()
        })
      running.add(ended)
    }
  }
  const task = startPeriodicTask(round, everyMs, report, retryMs)
  return {
    async stop() {
      await task.stop()
      // What is cut off is sent again when its next attempt is due.
      await agent.destroy()
      await Promise.all(running)
    },
  }
}

/** Writes what comes one by one in batches: while one is written, the next one collects. */
function inBatches<T>(write: (batch: readonly T[]) => Promise<void>): (one: T) => Promise<void> {
  let collecting: T[] = []
  let next: Promise<void> | undefined
  let writing: Promise<void> = Promise.resolve()
  const begin = () => {
    const batch = collecting
    collecting = []
    next = undefined
    writing = write(batch)
    return writing
  }
  return (one) => {
    collecting.push(one)
    next ??= writing.then(begin, begin)
    return next
  }
}

async function send({ endpoint, event, body }: Due, options: WebhookOptions, agent: Agent): Promise<Outcome> {
  try {
    const url = new URL(endpoint.url)
    if (!options.allowPrivate && !isPublicHost(url.hostname)) throw new Error(notPublic)
    const at = new Date()
    const signatures = signingSecrets(endpoint, options.peppers).map((secret) =>
      new Webhook(secret).sign(event, at, body),
    )
    const reply = await request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'user-agent': options.userAgent,
        'webhook-id': event,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
        'webhook-signature': signatures.join(' '),
      },
      ...{ body, dispatcher: agent, signal: AbortSignal.timeout(timeoutMs) },
    })
    // Nothing of the reply but its status is used.
    await reply.body.dump({ limit: 65_536, signal: AbortSignal.timeout(timeoutMs) }).catch(() => undefined)
    return { status: reply.statusCode }
  } catch (error) {
    return { error: whyNot(error) }
  }
}

/** Why there was no reply, in one line that names no address of the private network. */
function whyNot(error: unknown): string {
  const { name, code, message } = error as Error & { readonly code?: string }
  if (name === 'TimeoutError') return `no reply within ${timeoutMs / 1_000} s`
  return (code ?? message).slice(0, 200)
}

const notPublic = 'the address is not one of the public internet'

/** Resolves a name to its public addresses, so that the checked address is the one that is connected to. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, '', 0)
    const [first, ...others] = addresses.filter(({ address }) => isPublicAddress(address))
    if (!first) return callback(new Error(notPublic), '', 0)
    if (options.all) return callback(null, [first, ...others])
    callback(null, first.address, first.family)
  })
}
