import { and, asc, desc, eq, gt, inArray, lt, type SQL, sql } from 'drizzle-orm'
import type { Principal } from '../../accounts/principal.ts'
import type { Executor } from '../../db/client.ts'
import { apiKeys, ledger, projects, runs, sessions } from '../../db/schema/index.ts'
import { chargesIn, facts } from './usage.ts'
import type { Span } from './usage-span.ts'

/** The charge for one turn. Names and the session are null if they have been deleted. */
export type Charge = {
  /** Ascending in time. */
  readonly id: bigint
  readonly at: Date
  readonly runId: string
  readonly sessionId: string | null
  readonly sessionName: string | null
  readonly status: string | null
  readonly model: string
  /** Null for a turn from the web pages. */
  readonly keyId: string | null
  readonly keyName: string | null
  readonly projectId: string | null
  readonly projectName: string | null
  /** Null if nobody is known. */
  readonly memberId: string | null
  readonly promptTokens: number
  readonly completionTokens: number
  readonly costMicros: bigint
}

const fact = (name: string) => sql<string | null>`${facts}->>${name}`
const tokens = (name: string) => sql<number>`coalesce((${facts}->>${name})::float8, 0)`

const columns = {
  id: ledger.id,
  at: ledger.createdAt,
  runId: sql<string>`coalesce(${ledger.runId}, '')`,
  sessionId: runs.sessionId,
  sessionName: sessions.name,
  status: runs.status,
  model: sql<string>`coalesce(${facts}->>'model', '')`,
  keyId: fact('key_id'),
  keyName: apiKeys.name,
  projectId: fact('project_id'),
  projectName: projects.name,
  memberId: fact('member_id'),
  promptTokens: tokens('prompt_tokens'),
  completionTokens: tokens('completion_tokens'),
  costMicros: sql<string>`-(${ledger.allowanceMicros} + ${ledger.grantedMicros})`.mapWith(BigInt),
}

/**
 * Lists the account's charges from the ledger, with the names that still exist. For principals that see the
 * whole account.
 * @param page.after the id of the charge after which the page begins, in the requested order.
 */
export function listCharges(
  executor: Executor,
  { accountId }: Principal,
  page: Span & {
    readonly order: 'asc' | 'desc'
    readonly limit: number
    readonly after?: bigint | undefined
  },
): Promise<Charge[]> {
  return executor
    .select(columns)
    .from(ledger)
    .leftJoin(runs, and(eq(runs.id, ledger.runId), eq(runs.accountId, accountId)))
    .leftJoin(sessions, eq(sessions.id, runs.sessionId))
    .leftJoin(apiKeys, and(eq(apiKeys.id, sql`${facts}->>'key_id'`), eq(apiKeys.accountId, accountId)))
    .leftJoin(projects, and(eq(projects.id, sql`${facts}->>'project_id'`), eq(projects.accountId, accountId)))
    .where(and(chargesIn(accountId, page), beyond(page)))
    .orderBy(page.order === 'asc' ? asc(ledger.id) : desc(ledger.id))
    .limit(page.limit)
}

function beyond({ order, after }: { order: 'asc' | 'desc'; after?: bigint | undefined }): SQL | undefined {
  if (after === undefined) return undefined
  return order === 'asc' ? gt(ledger.id, after) : lt(ledger.id, after)
}

/** Names of an account's keys or projects, by id. Deleted ones are missing. */
export async function namesOf(
  executor: Executor,
  { accountId }: Principal,
  kind: 'key' | 'project',
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const table = kind === 'key' ? apiKeys : projects
  const rows = await executor
    .select({ id: table.id, name: table.name })
    .from(table)
    .where(and(eq(table.accountId, accountId), inArray(table.id, [...ids])))
  return new Map(rows.map(({ id, name }) => [id, name]))
}
