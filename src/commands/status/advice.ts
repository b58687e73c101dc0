import { ageSeconds, type Status } from './read-status.ts'

/** Above these a figure is no longer normal. */
const limits = {
  /** The rules are checked every ten minutes. */
  checkAgeSeconds: 3_600,
  queueSeconds: 60,
  webhookSeconds: 300,
  failedShare: 0.1,
  failedRuns: 5,
  connectionShare: 0.9,
  diskFreeShare: 0.1,
}

/** What to look at first, in one sentence. Empty: nothing. */
export function adviceFor(status: Status): string {
  const { database, figures, check, replicas, queue, library, disk } = status
  const { webhooks } = figures
  const unreachable = status.models
    .flatMap(({ servers }) => servers)
    .find(({ reason }) => reason !== undefined)
  const findings: readonly (readonly [boolean, string])[] = [
    [
      check !== undefined && check.broken.length > 0,
      'Rules of the ledger or the runs are broken: run `doctor`, which shows the rows.',
    ],
    [replicas.length === 0, 'No process of the service runs: start one, and read its log.'],
    [
      library.size === undefined,
      `The library database cannot be used: ${library.separate?.reason || 'run `migrate`'}.`,
    ],
    [
      disk !== undefined && disk.freeBytes < limits.diskFreeShare * disk.bytes,
      'The disk of DATA_DIR is nearly full: make room, because Postgres stops on a full disk.',
    ],
    [
      database.connections > limits.connectionShare * figures.connectionsAllowed,
      'Postgres has nearly no connections left: raise `max_connections`, or run fewer replicas.',
    ],
    [
      queue.orphaned > 0,
      'Turns have lost their process. Another replica claims them within a minute: look again then.',
    ],
    [
      unreachable !== undefined,
      `The server "${unreachable?.server}" of the model "${unreachable?.model}" takes no connection: ${unreachable?.reason}.`,
    ],
    [
      figures.failedLastHour >= limits.failedRuns &&
        figures.failedLastHour > limits.failedShare * figures.endedLastHour,
      'Many turns of the last hour failed: read why on /operator/health.',
    ],
    [
      (queue.oldestQueuedSeconds ?? 0) > limits.queueSeconds,
      'Turns wait long in the queue: see "Overload" in docs/monitoring.md.',
    ],
    [
      ageSeconds(check?.checkedAt) > limits.checkAgeSeconds,
      'The rules were not completely checked in the last hour: run `doctor`.',
    ],
    [
      (library.size?.waitingTexts ?? 0) > 0,
      'Texts are not in the search index yet. A running service indexes them; an import that was stopped goes on when it is run again.',
    ],
    [
      (webhooks.oldestDueSeconds ?? 0) > limits.webhookSeconds,
      'Webhook deliveries are overdue: a running service sends them, so read its log.',
    ],
    [webhooks.failed > 0, 'Webhook deliveries were given up: their owners see why on /alerts.'],
  ]
  return findings.find(([applies]) => applies)?.[1] ?? ''
}
