import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import { getTableConfig, type PgTable } from 'drizzle-orm/pg-core'
import {
  accounts,
  answerFeedback,
  apiKeys,
  auditLog,
  budgets,
  files,
  fileTexts,
  fileVersions,
  idempotencyKeys,
  identities,
  invitations,
  keySpending,
  ledger,
  mailedLinks,
  managementRequests,
  members,
  messages,
  passkeys,
  passwordResets,
  projectInstructions,
  projects,
  readingMarks,
  recoveryCodes,
  runLog,
  runs,
  sentNotices,
  sessionBranches,
  sessions,
  sharedSessions,
  signInSteps,
  sourceSheets,
  totpSecrets,
  webhookDeliveries,
  webhookEndpoints,
  webSessions,
} from '../db/schema/index.ts'

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
  { table: accounts, by: 'id', key: ['id'] },
  { table: apiKeys, by: ofAccount, key: ['created_at', 'id'] },
  { table: keySpending, by: ofAccount, key: ['key_id', 'day'] },
  { table: webSessions, by: ofAccount, key: ['digest'] },
  { table: passwordResets, by: ofAccount, key: [ofAccount], ofService: true },
  { table: mailedLinks, by: ofAccount, key: ['digest'], ofService: true },
  { table: sentNotices, by: ofAccount, key: ['kind', 'about'], ofService: true },
  { table: managementRequests, by: ofAccount, key: ['key'] },
  { table: identities, by: ofAccount, key: ['issuer', 'subject'], ofService: true },
  { table: passkeys, by: ofAccount, key: ['id'], ofService: true },
  { table: recoveryCodes, by: ofAccount, key: ['digest'], ofService: true },
  { table: signInSteps, by: ofAccount, key: ['digest'], ofService: true },
  { table: totpSecrets, by: ofAccount, key: [ofAccount], ofService: true },
  { table: members, by: ofAccount, key: ['member_id'] },
  { table: invitations, by: ofAccount, key: ['created_at', 'id'] },
  { table: auditLog, by: ofAccount, key: ['id'], ofService: true },
  { table: ledger, by: ofAccount, key: ['created_at', 'id'] },
  { table: budgets, by: ofAccount, key: ['project_id', 'period'] },
  { table: projects, by: ofAccount, key: ['created_at', 'id'] },
  { table: projectInstructions, by: 'project_id', parent: projects, key: ['project_id', 'hash'] },
  { table: sessions, by: 'project_id', parent: projects, key: ['project_id', 'created_at', 'id'] },
  { table: sessionBranches, by: 'session_id', parent: sessions, key: ['session_id'] },
  { table: sharedSessions, by: 'session_id', parent: sessions, key: ['session_id'] },
  { table: messages, by: 'session_id', parent: sessions, key: ['session_id', 'turn', 'position'] },
  { table: runs, by: ofAccount, key: ['created_at', 'id'] },
  { table: runLog, by: 'run_id', parent: runs, key: ['run_id', 'seq', 'step'] },
  { table: answerFeedback, by: 'run_id', parent: runs, key: ['run_id'] },
  { table: idempotencyKeys, by: ofAccount, key: ['api_key_id', 'key'] },
  { table: files, by: 'project_id', parent: projects, key: ['project_id', 'created_at', 'id'] },
  // Uploads that have not ended are nobody's file yet.
  { table: fileVersions, by: ofAccount, key: ['bytes', 'id'], only: sql`t.state = 'sealed'` },
  { table: fileTexts, by: 'version_id', parent: fileVersions, key: ['version_id'] },
  { table: readingMarks, by: ofAccount, key: ['kind', 'ref'] },
  { table: sourceSheets, by: ofAccount, key: ['id'] },
  { table: webhookEndpoints, by: ofAccount, key: ['id'] },
  { table: webhookDeliveries, by: 'endpoint_id', parent: webhookEndpoints, key: ['endpoint_id', 'id'] },
]

/** The name of a table in the database, which its JSON file has too. */
export const nameOf = (table: PgTable): string => getTableConfig(table).name

/** The columns that are exported: all but hashes of passwords, keys, tokens and requests, which are `bytea` or named so. */
export function exportedColumns(table: PgTable): readonly string[] {
  return Object.values(getTableColumns(table))
    .filter((column) => column.getSQLType() !== 'bytea' && column.name !== 'password_hash')
    .map(({ name }) => name)
}
