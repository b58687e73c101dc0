import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import * as tables from '../db/schema/index.ts'

/** A table of the export: which of its rows belong to an account, and how to read them in pages. */
export type ExportedTable = {
  readonly table: PgTable
  /** The column with the account's id, or with the id of a row of `parent`. */
  readonly by: string
  readonly parent?: PgTable
  /** Columns that order the rows. An index has them after `by`, wherever an account can have many rows. */
  readonly key: readonly string[]
  /** Further condition on the rows. */
  readonly only?: SQL
  /** Row-level security shows it to the service itself only. */
  readonly ofService?: true
}

const ofAccount = 'account_id'

/** A new table with data of accounts needs a line here. `file_chunks` is left out: its bytes are the files of the ZIP. */
export const exportedTables: readonly ExportedTable[] = [
  { table: tables.accounts, by: 'id', key: ['id'] },
  { table: tables.apiKeys, by: ofAccount, key: ['created_at', 'id'] },
  { table: tables.keySpending, by: ofAccount, key: ['key_id', 'day'] },
  { table: tables.webSessions, by: ofAccount, key: ['digest'] },
  { table: tables.passwordResets, by: ofAccount, key: [ofAccount], ofService: true },
  { table: tables.mailedLinks, by: ofAccount, key: ['digest'], ofService: true },
  { table: tables.sentNotices, by: ofAccount, key: ['kind', 'about'], ofService: true },
  { table: tables.managementRequests, by: ofAccount, key: ['key'] },
  { table: tables.identities, by: ofAccount, key: ['issuer', 'subject'], ofService: true },
  { table: tables.passkeys, by: ofAccount, key: ['id'], ofService: true },
  { table: tables.recoveryCodes, by: ofAccount, key: ['digest'], ofService: true },
  { table: tables.signInSteps, by: ofAccount, key: ['digest'], ofService: true },
  { table: tables.totpSecrets, by: ofAccount, key: [ofAccount], ofService: true },
  { table: tables.members, by: ofAccount, key: ['member_id'] },
  { table: tables.invitations, by: ofAccount, key: ['created_at', 'id'] },
  { table: tables.auditLog, by: ofAccount, key: ['id'], ofService: true },
  { table: tables.ledger, by: ofAccount, key: ['created_at', 'id'] },
  { table: tables.budgets, by: ofAccount, key: ['project_id', 'period'] },
  { table: tables.projects, by: ofAccount, key: ['created_at', 'id'] },
  {
    table: tables.projectInstructions,
    by: 'project_id',
    parent: tables.projects,
    key: ['project_id', 'hash'],
  },
  {
    table: tables.sessions,
    by: 'project_id',
    parent: tables.projects,
    key: ['project_id', 'created_at', 'id'],
  },
  { table: tables.sessionBranches, by: 'session_id', parent: tables.sessions, key: ['session_id'] },
  { table: tables.sharedSessions, by: 'session_id', parent: tables.sessions, key: ['session_id'] },
  {
    table: tables.messages,
    by: 'session_id',
    parent: tables.sessions,
    key: ['session_id', 'turn', 'position'],
  },
  { table: tables.runs, by: ofAccount, key: ['created_at', 'id'] },
  { table: tables.runLog, by: 'run_id', parent: tables.runs, key: ['run_id', 'seq', 'step'] },
  { table: tables.answerFeedback, by: 'run_id', parent: tables.runs, key: ['run_id'] },
  { table: tables.idempotencyKeys, by: ofAccount, key: ['api_key_id', 'key'] },
  { table: tables.files, by: 'project_id', parent: tables.projects, key: ['project_id', 'created_at', 'id'] },
  // Uploads that have not ended are nobody's file yet.
  { table: tables.fileVersions, by: ofAccount, key: ['bytes', 'id'], only: sql`t.state = 'sealed'` },
  { table: tables.fileTexts, by: 'version_id', parent: tables.fileVersions, key: ['version_id'] },
  { table: tables.readingMarks, by: ofAccount, key: ['kind', 'ref'] },
  { table: tables.sourceSheets, by: ofAccount, key: ['id'] },
  { table: tables.webhookEndpoints, by: ofAccount, key: ['id'] },
  {
    table: tables.webhookDeliveries,
    by: 'endpoint_id',
    parent: tables.webhookEndpoints,
    key: ['endpoint_id', 'id'],
  },
]

/** The name of a table in the database, which its JSON file has too. */
export const nameOf = (table: PgTable): string => getTableConfig(table).name

/** The columns that are exported: all but hashes of passwords, keys, tokens and requests, which are `bytea` or named so. */
export function exportedColumns(table: PgTable): readonly string[] {
  return Object.values(getTableColumns(table))
    .filter((column) => column.getSQLType() !== 'bytea' && column.name !== 'password_hash')
    .map(({ name }) => name)
}
