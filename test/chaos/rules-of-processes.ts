import { beginOf, type Findings, type Rule } from './findings.ts'
import type { FaultKind, Recorded } from './history.ts'

/**
 * Maximum time to stop after SIGTERM: the default of orchestrators. During the storm a process can be
 * suspended for 20 s of it and its database can be down.
 */
const stopMs = { storm: 60_000, calm: 30_000 }

const exitsOf = ({ entries }: Findings) =>
  entries.filter((entry): entry is Extract<Recorded, { type: 'exit' }> => entry.type === 'exit')

/** Without these faults a harness run proves nothing. */
const faultsToSee: readonly FaultKind[] = ['kill', 'freeze', 'client wires cut', 'backend terminated']

/** Time in which a readiness check notices that a replica stops: two intervals of the load balancer of the storm. */
const noticeMs = 500

/**
 * Whether the replica got SIGTERM during the request, so that it may hand over the turn, or so shortly before it that the
 * load balancer could not know. A replica refuses such a turn, and a balancer such as `ops/nginx.conf` sends it to the next.
 */
function wasUnderWay(findings: Findings, replica: string, from: number, to: number): boolean {
  return findings.entries.some(
    (e) =>
      e.type === 'fault' && e.fault === 'sigterm' && e.on === replica && e.at > from - noticeMs && e.at <= to,
  )
}

export const rulesOfProcesses: readonly Rule[] = [
  {
    name: 'no replica ends by itself',
    *broken({ findings }) {
      for (const { replica, sent, code, signal, wasReady, stderr } of exitsOf(findings)) {
        // A start without a database reports it and exits, and is repeated.
        if (!wasReady && code === 1) continue
        if (sent === undefined) yield `${replica}: code ${code}, signal ${signal}: ${stderr.slice(-500)}`
      }
    },
  },
  {
    name: 'a replica that is told to stop ends in time, with code 0',
    *broken({ findings }) {
      const calm = Math.min(beginOf(findings, 'calm'), beginOf(findings, 'rolling'))
      for (const { at, replica, sent, code, signal, tookMs = 0 } of exitsOf(findings)) {
        if (sent !== 'SIGTERM') continue
        const most = at - tookMs < calm ? stopMs.storm : stopMs.calm
        if (code !== 0) yield `${replica}: code ${code}, signal ${signal}`
        else if (tookMs > most) yield `${replica}: after ${tookMs} ms`
      }
    },
  },
  {
    name: 'the logs hold neither a secret nor an error that nobody caught',
    broken: ({ findings }) => findings.badLines,
  },
  {
    name: 'a rolling restart answers no new request with a 5xx',
    *broken({ findings, stories }) {
      const [from, to] = [beginOf(findings, 'rolling'), beginOf(findings, 'rest')]
      for (const { intent, attempts } of stories) {
        for (const { sentAt, at, replica, reply } of attempts) {
          if (sentAt < from || sentAt > to || (reply.status ?? 0) < 500) continue
          // The machine may have other work: that is no fault of the restart.
          if (reply.underPressure || wasUnderWay(findings, replica, sentAt, at)) continue
          yield `${intent.id} at ${replica}: ${reply.status} ${reply.code}`
        }
      }
    },
  },
  {
    name: 'the storm took place',
    *broken({ findings }) {
      if (beginOf(findings, 'storm') === Number.POSITIVE_INFINITY) return
      for (const fault of faultsToSee) {
        if (!findings.entries.some((e) => e.type === 'fault' && e.fault === fault)) yield `no ${fault}`
      }
      if (!findings.rows.runs.some(({ status }) => status === 'completed')) yield 'no run completed'
    },
  },
]
