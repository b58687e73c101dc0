import type { CheckState } from '../../billing/checks/examine.ts'
import { invariants } from '../../billing/checks/invariants.ts'
import { creditsText } from '../../billing/credits.ts'
import { version } from '../../version/version.ts'
import type { Command } from '../command.ts'
import { adviceFor } from './advice.ts'
import { ageSeconds, readStatus, type Status } from './read-status.ts'

export const statusCommands: Readonly<Record<string, Command>> = {
  status: {
    usage: '',
    summary: 'shows the state of the service on one screen, and what to look at first',
    run: async ({ installation, config }) => {
      const status = await readStatus(installation, config)
      const advice = adviceFor(status)
      return { rows: rowsOf(status, advice), lines: linesOf(status, advice) }
    },
  },
}

function verdictOf(check: CheckState | undefined): 'never checked' | 'hold' | 'broken' | 'not all checked' {
  if (!check) return 'never checked'
  if (check.broken.length > 0) return 'broken'
  return check.unchecked.length > 0 ? 'not all checked' : 'hold'
}

function rowsOf(status: Status, advice: string): object {
  const { database, figures, check, replicas, queue, models, library, disk } = status
  return {
    version,
    database: {
      postgres: database.version,
      bytes: database.bytes,
      connections: database.connections,
      connections_allowed: figures.connectionsAllowed,
      rules: verdictOf(check),
      broken_rules: check?.broken ?? [],
      rules_checked_at: check && check.checkedAt.getTime() > 0 ? check.checkedAt.toISOString() : null,
    },
    replicas: replicas.map(({ id, since }) => ({ id, since: since.toISOString() })),
    runs: {
      in_progress: queue.inProgress,
      queued: queue.queued,
      orphaned: queue.orphaned,
      oldest_queued_seconds: queue.oldestQueuedSeconds,
      ended_last_hour: figures.endedLastHour,
      failed_last_hour: figures.failedLastHour,
    },
    credits_held: creditsText(figures.heldMicros),
    models: models.map(({ id, servers }) => ({
      id,
      servers: servers.map(({ server, reason }) => ({
        server,
        reachable: reason === undefined,
        reason: reason ?? null,
      })),
    })),
    library: {
      database: library.separate?.state ?? 'main',
      works: library.size?.works ?? null,
      texts: library.size?.texts ?? null,
      waiting_texts: library.size?.waitingTexts ?? null,
      semantic: library.semantic ?? null,
    },
    files: {
      count: figures.files.count,
      bytes: figures.files.bytes,
      in_bucket: figures.files.inBucket,
    },
    mail: status.mail,
    metrics: status.metrics,
    webhooks: {
      endpoints: figures.webhooks.endpoints,
      due: figures.webhooks.due,
      failed_last_day: figures.webhooks.failed,
    },
    disk: disk ? { bytes: disk.bytes, free_bytes: disk.freeBytes } : null,
    advice,
  }
}

const nameWidth = 10

function linesOf(status: Status, advice: string): readonly string[] {
  const { database, figures, check, replicas, queue, models, library, disk } = status
  const { files, webhooks } = figures
  const line = (name: string, ...values: readonly string[]) =>
    values.map((value, at) => `${(at === 0 ? name : '').padEnd(nameWidth)}${value}`)
  const onOff = (is: boolean) => (is ? 'on' : 'not configured')
  return [
    ...line('Version', version),
    ...line(
      'Database',
      `Postgres ${database.version}, ${byteText(database.bytes)}, ${database.connections} of ${figures.connectionsAllowed} connections`,
      rulesText(check),
    ),
    ...line(
      'Replicas',
      ...(replicas.length === 0
        ? ['none']
        : replicas.map(({ id, since }) => `${id}, for ${ageText(ageSeconds(since))}`)),
    ),
    ...line(
      'Turns',
      `${queue.inProgress} running, ${queue.queued} queued${queue.oldestQueuedSeconds === null ? '' : ` (the oldest for ${ageText(queue.oldestQueuedSeconds)})`}; last hour: ${figures.endedLastHour} ended, ${figures.failedLastHour} of them failed`,
      `${creditsText(figures.heldMicros)} credits held`,
    ),
    ...line('Models', ...models.map(modelText)),
    ...line('Library', ...libraryTexts(library)),
    ...line(
      'Files',
      `${files.count}, of them ${files.inBucket} in a bucket, ${byteText(files.bytes)} with their versions`,
    ),
    ...line('Mail', onOff(status.mail)),
    ...line('Metrics', onOff(status.metrics)),
    ...line(
      'Webhooks',
      `${webhooks.endpoints} endpoints; ${webhooks.due} deliveries due, ${webhooks.failed} given up in the last day`,
    ),
    ...(disk ? line('Disk', `${byteText(disk.freeBytes)} of ${byteText(disk.bytes)} free for DATA_DIR`) : []),
    ...(advice === '' ? [] : ['', `First: ${advice}`]),
  ]
}

function rulesText(check: CheckState | undefined): string {
  if (!check) return 'its rules were never checked'
  const age =
    check.checkedAt.getTime() > 0 ? `; all were checked ${ageText(ageSeconds(check.checkedAt))} ago` : ''
  const broken = check.broken.length > 0 ? ` (${check.broken.join('; ')})` : ''
  return `${invariants.length} rules: ${verdictOf(check)}${broken}${age}`
}

function modelText({ id, servers }: Status['models'][number]): string {
  if (servers.length === 0) return `${id}: no server to ask`
  return `${id}: ${servers.map(({ server, reason }) => `${server} ${reason === undefined ? 'answers' : `does not answer (${reason})`}`).join(', ')}`
}

function libraryTexts({ separate, size, semantic }: Status['library']): readonly string[] {
  const where = separate ? [`database ${separate.name}: ${separate.reason || separate.state}`] : []
  if (!size) return where
  const index = size.waitingTexts === 0 ? 'index complete' : `${size.waitingTexts} texts not in the index yet`
  const search = semantic === undefined ? 'semantic search off' : `semantic search with ${semantic}`
  return [...where, `${size.works} works, ${size.texts} texts, ${index}, ${search}`]
}

const byteUnits = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** Bytes for people, such as `1.5 GB`; 1 KB is 1,024 bytes. */
function byteText(bytes: number): string {
  const power = Math.min(byteUnits.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  return `${(bytes / 1_024 ** power).toFixed(power === 0 ? 0 : 1)} ${byteUnits[power]}`
}

const timeUnits = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** A time for people in its largest whole unit, such as `3 h`. */
function ageText(seconds: number): string {
  const [size, unit] = timeUnits.find(([size]) => seconds >= size) ?? timeUnits[3]
  return `${Math.floor(seconds / size)} ${unit}`
}
