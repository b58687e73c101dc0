import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import type { Executor } from '../../db/client.ts'
import { randomBase62 } from '../../ids.ts'
import type { ClientConnections } from './client-connections.ts'
import { hasEnded } from './presence.ts'
import type { Signals } from './signals.ts'

/** A replica that serves answers in this time. */
const answerMs = 100
/** One whose event loop is busy has this much more. One that is silent for longer serves none of its clients. */
const busyMs = 2_000
/** Postgres bounds what a signal can carry. */
const maxRuns = 20

/** What is known of the clients of equal requests, replica by replica. */
export type Settled = {
  /** Replicas whose clients of equal requests are connected, have their replies, or are in `lost`. */
  readonly replicas: ReadonlySet<string>
  /** Runs whose clients have disconnected, with the replica that says so. */
  readonly lost: ReadonlyMap<string, string>
  /** Replicas that have ended, or serve nobody at this time. */
  readonly gone: ReadonlySet<string>
}

/** Questions of the replicas to one another: which runs of a request have lost their client? */
export type ClientInquiry = {
  /** Asks each of these replicas, for some two seconds at most. */
  ask(identity: string, replicas: readonly string[]): Promise<Settled>
  close(): void
}

/** Also answers the questions of others, for as long as it is open. */
export function openClientInquiry(
  executor: Executor,
  replica: string,
  signals: Signals,
  connections: ClientConnections,
): ClientInquiry {
  const waiting = new Map<string, (lost: readonly string[]) => void>()
  const answer = async (question: string, identity: string) => {
    await loopHasRead()
    const lost = connections.lost(identity).map(({ runId }) => runId)
    signals.send({ kind: 'answer', text: [question, ...lost.slice(-maxRuns)].join(',') })
  }
  const unsubscribe = signals.subscribe((signal) => {
    if (signal.kind === 'ask') {
      const [question = '', asked, identity = ''] = signal.text.split(',')
      if (asked === replica) void answer(question, identity)
    } else if (signal.kind === 'answer') {
      const [question = '', ...lost] = signal.text.split(',')
      waiting.get(question)?.(lost)
    }
  })

  const askOne = async (identity: string, asked: string): Promise<readonly string[] | 'gone'> => {
    if (await hasEnded(executor, asked)) return 'gone'
    const question = randomBase62(12)
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    waiting.set(question, resolve)
    const text = [question, asked, identity].join(',')
    try {
      signals.send({ kind: 'ask', text })
      const soon = await within(promise, answerMs)
      if (soon) return soon
      if (await hasEnded(executor, asked)) return 'gone'
      // A signal is lost with a listening connection.
      signals.send({ kind: 'ask', text })
      return (await within(promise, busyMs)) ?? 'gone'
    } finally {
      waiting.delete(question)
    }
  }

  return {
    async ask(identity, replicas) {
      const answers = await Promise.all(
        replicas.map(async (asked) => [asked, await askOne(identity, asked)] as const),
      )
      const heard = answers.flatMap(([asked, lost]) => (lost === 'gone' ? [] : [{ asked, lost }]))
      return {
        replicas: new Set(heard.map(({ asked }) => asked)),
        lost: new Map(heard.flatMap(({ asked, lost }) => lost.map((runId) => [runId, asked] as const))),
        gone: new Set(answers.flatMap(([asked, lost]) => (lost === 'gone' ? [asked] : []))),
      }
    },
    close: unsubscribe,
  }
}

/**
 * Resolves when the event loop has read what its sockets had: one that was busy or frozen reads a request first, and that another
 * client has disconnected in its next turn.
 */
export async function loopHasRead(): Promise<void> {
  await turnOfTheLoop()
  await turnOfTheLoop()
}

/** Both, the newer one last. */
export function together(one: Settled, other: Settled): Settled {
  return {
    replicas: new Set([...one.replicas, ...other.replicas]),
    lost: new Map([...one.lost, ...other.lost]),
    gone: new Set([...one.gone, ...other.gone]),
  }
}

function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  return Promise.race([promise, over]).finally(() => clearTimeout(timer))
}
