import { readFile } from 'node:fs/promises'
import { type Database, withTx } from '../../src/db/client.ts'
import { readLog } from '../../src/turns/record/run-log.ts'
import { findViolations } from '../support/invariants.ts'
import type { RunStatus } from './replies.ts'

export type RunRow = {
  readonly id: string
  readonly sessionId: string
  readonly turn: number
  readonly status: RunStatus
  readonly epoch: number
  readonly costMicros: bigint
  /** Part of the cost: the model call that was running when the run ended. */
  readonly unfinishedMicros: bigint
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly cancelRequested: boolean
  readonly errorCode: string | null
  readonly errorMessage: string
  /** The answer, with its list of sources. */
  readonly text: string
}

export type MessageRow = {
  readonly runId: string
  readonly turn: number
  readonly role: string
  readonly text: string
}

export type FileRow = {
  readonly name: string
  readonly runId: string | null
  readonly versions: number
  /** SHA-256 of the chunks as they are stored now, in hexadecimal. */
  readonly sha256: string
}

export type EventRow = { readonly seq: number; readonly event: Readonly<Record<string, unknown>> }

/** Rows of the database after all runs have ended. */
export type Rows = {
  readonly runs: readonly RunRow[]
  readonly messages: readonly MessageRow[]
  /** All charges; a run has at most one. */
  readonly charges: readonly { readonly runId: string; readonly micros: bigint }[]
  readonly files: readonly FileRow[]
  /** Event logs of the runs that clients followed. */
  readonly events: ReadonlyMap<string, readonly EventRow[]>
  readonly heldMicros: bigint
  /** Broken rules of the ledger, one per line. */
  readonly brokenInvariants: readonly string[]
  /** Runs in which a row of an earlier epoch follows a row of a later one. */
  readonly staleWrites: readonly string[]
}

/** Writes carry the epoch of their writer. In their order the epoch never decreases. */
const staleWrites = `
  select 'write ' || seq || ', ' || step || ' of ' || run_id as place from (
    select run_id, seq, step, epoch, max(epoch) over (partition by run_id order by seq, step) as newest from run_log) l
  where epoch < newest`

export async function readRows(database: Database, followed: readonly string[]): Promise<Rows> {
  const select = async <T extends object>(statement: string, values: readonly unknown[] = []) =>
    (await database.systemPool.query<T>(statement, [...values])).rows
  // Crashes reset the server's statistics of changed rows, so autovacuum would not analyse the tables.
  await database.systemPool.query('analyze')
  type Micros = { costMicros: string; unfinishedMicros: string }
  const runs = await select<Omit<RunRow, keyof Micros> & Micros>(
    `select id, session_id as "sessionId", turn, status, epoch, cost_micros::text as "costMicros",
       created_at as "createdAt", finished_at as "finishedAt", cancel_requested_at is not null as "cancelRequested",
       (select coalesce(sum((entry ->> 'micros')::bigint), 0)::text from run_log l, jsonb_array_elements(l.entries) entry
        where l.run_id = runs.id and entry @> '{"record": {"unfinished": true}}') as "unfinishedMicros",
       reply ->> 'code' as "errorCode", coalesce(reply ->> 'message', '') as "errorMessage",
       coalesce((reply #>> '{end,text}') || (reply #>> '{end,source_list}'), '') as text
     from runs order by created_at`,
  )
  const charges = await select<{ runId: string; micros: string }>(
    `select run_id as "runId", (-allowance_micros - granted_micros)::text as micros from ledger
     where kind = 'charge' and run_id is not null`,
  )
  const events: (EventRow & { runId: string })[] = []
  for (const runId of followed) {
    const log = await withTx(database, 'system', (tx) => readLog(tx, runId))
    events.push(...log.events.map(({ seq, event }) => ({ runId, seq, event })))
  }
  const [held] = await select<{ micros: string }>(
    'select coalesce(sum(held_micros), 0)::text as micros from accounts',
  )
  const broken = await findViolations(database)
  return {
    runs: runs.map(({ costMicros, unfinishedMicros, ...run }) => ({
      ...run,
      costMicros: BigInt(costMicros),
      unfinishedMicros: BigInt(unfinishedMicros),
    })),
    messages: await select<MessageRow>(
      `select run_id as "runId", turn, role, content ->> 'content' as text from messages order by session_id, turn, position`,
    ),
    charges: charges.map(({ runId, micros }) => ({ runId, micros: BigInt(micros) })),
    files: await select<FileRow>(
      `select f.name, f.run_id as "runId", count(v.id)::int as versions,
         (select encode(sha256(string_agg(c.data, ''::bytea order by c.index)), 'hex')
          from file_chunks c join file_versions n on n.id = c.version_id
          where n.file_id = f.id and n.version = f.version) as sha256
       from files f left join file_versions v on v.file_id = f.id group by f.id`,
    ),
    events: Map.groupBy(events, ({ runId }) => runId),
    heldMicros: BigInt(held?.micros ?? 0),
    staleWrites: (await select<{ place: string }>(staleWrites)).map(({ place }) => place),
    brokenInvariants: broken.map(({ invariant, rows }) => `${invariant}: ${JSON.stringify(rows)}`),
  }
}

/** Number of runs that have not ended. */
export async function unfinishedRuns(database: Database): Promise<number> {
  const { rows } = await database.systemPool.query<{ count: number }>(
    `select count(*)::int as count from runs where status in ('queued', 'in_progress')`,
  )
  return rows[0]?.count ?? 0
}

/** Words that a log contains only after an uncaught error. */
const crashWords =
  /uncaughtException|unhandledRejection|\bERR_[A-Z_]+|UnhandledPromise|Unhandled 'error'|TypeError|ReferenceError/

/** Log lines that should not exist. Secrets are reported by their position and not repeated. */
export async function findBadLines(
  logFiles: readonly string[],
  secrets: readonly string[],
): Promise<readonly string[]> {
  const found: string[] = []
  for (const file of logFiles) {
    for (const [i, line] of (await readFile(file, 'utf8')).split('\n').entries()) {
      const secret = secrets.findIndex((text) => line.includes(text))
      if (secret >= 0) found.push(`${file}:${i + 1} holds secret number ${secret}`)
      else if (crashWords.test(line)) found.push(`${file}:${i + 1} ${line.slice(0, 300)}`)
    }
  }
  return found
}
