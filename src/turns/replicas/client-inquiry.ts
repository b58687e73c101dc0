import type { Executor } from '../../db/client.ts'
import { randomBase62 } from '../../ids.ts'
import { afterPendingReads, within } from '../../waiting/waiting.ts'
import type { ClientConnections } from './client-connections.ts'
import { replicaHasEnded } from './presence.ts'
import type { Signals } from './signals.ts'

/** A healthy replica answers within this time. */
const answerMs = 100
/**
 * Extra time for a replica with a busy event loop. A replica that is silent for longer is not serving its
 * clients.
 */
const busyMs = 2_000
/** Postgres limits the size of a notification. */
const maxRuns = 20

/** What the replicas know about the clients of equal requests. */
export type ClientReport = {
  /** Replicas that answered: their clients are connected, have their replies, or are listed in `lost`. */
  readonly replicas: ReadonlySet<string>
  /** Runs whose clients have disconnected, with the replica that reported it. */
  readonly lost: ReadonlyMap<string, string>
  /** Replicas that have ended or do not answer. */
  readonly gone: ReadonlySet<string>
}

/**
 * Asks other replicas which runs of a request have lost their client. Until it is closed it also answers the
 * questions of other replicas.
 */
export function openClientInquiry(
  executor: Executor,
  replica: string,
  signals: Signals,
  connections: ClientConnections,
) {
  const waiting = new Map<string, (lost: readonly string[]) => void>()
  const answer = async (question: string, identity: string) => {
    await afterPendingReads()
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
    if (await replicaHasEnded(executor, asked)) return 'gone'
    const question = randomBase62(12)
    const { promise, resolve } = Promise.withResolvers<readonly string[]>()
    waiting.set(question, resolve)
    const text = [question, asked, identity].join(',')
    try {
      signals.send({ kind: 'ask', text })
      const soon = await within(promise, answerMs)
      if (soon) return soon
      if (await replicaHasEnded(executor, asked)) return 'gone'
      // The first signal may be lost if a listening connection broke.
      signals.send({ kind: 'ask', text })
      return (await within(promise, busyMs)) ?? 'gone'
    } finally {
      waiting.delete(question)
    }
  }

  return {
    /** Asks each of these replicas; takes about two seconds at most. */
    async ask(identity: string, replicas: readonly string[]): Promise<ClientReport> {
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

/** Merges two results; the newer one comes last. */
export function mergeReports(one: ClientReport, other: ClientReport): ClientReport {
  return {
    replicas: new Set([...one.replicas, ...other.replicas]),
    lost: new Map([...one.lost, ...other.lost]),
    gone: new Set([...one.gone, ...other.gone]),
  }
}
