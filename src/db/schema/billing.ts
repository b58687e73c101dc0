import { sql } from 'drizzle-orm'
import { bigserial, check, index, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { instant, micros, ofAccount } from './columns.ts'

export const ledgerKinds = ['grant', 'allowance', 'expire', 'charge', 'take_back'] as const

/**
 * Every change of an account's credits, by kind of credit. Rows are immutable. The sums of an account are what its row
 * has, plus the holds of its unfinished runs: a hold is no row.
 */
export const ledger = pgTable(
  'ledger',
  {
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    accountId: ofAccount(),
    /** Of a charge for a turn. */
    runId: text('run_id'),
    kind: text('kind', { enum: ledgerKinds }).notNull(),
    /** Changes of both amounts: above zero for credits that come, below zero for credits that go. */
    allowanceMicros: micros('allowance_micros').notNull(),
    grantedMicros: micros('granted_micros').notNull(),
    /** Of a charge: model, key, project and tokens, so that usage reports need only the ledger. */
    facts: jsonb('facts'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('ledger_one_charge').on(t.runId).where(sql`${t.runId} is not null`),
    index('ledger_account').on(t.accountId, t.createdAt),
    check(
      'ledger_signs',
      sql`case when ${t.kind} in ('grant', 'allowance') then ${t.allowanceMicros} >= 0 and ${t.grantedMicros} >= 0
        else ${t.allowanceMicros} <= 0 and ${t.grantedMicros} <= 0 end`,
    ),
  ],
)

/** The spans of budgets and caps: a day and a calendar month (UTC), and all time. */
export const budgetPeriods = ['day', 'month', 'total'] as const

/** What an owner means to spend. The owner gets a notice at 80 % and at 100 %; no request is refused because of it. */
export const budgets = pgTable(
  'budgets',
  {
    accountId: ofAccount(),
    /** Empty: of the whole account. */
    projectId: text('project_id').notNull().default(''),
    period: text('period', { enum: budgetPeriods }).notNull(),
    micros: micros('micros').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.projectId, t.period] }),
    check('budgets_micros', sql`${t.micros} > 0`),
  ],
)
