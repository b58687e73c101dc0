import { sql } from 'drizzle-orm'
import { bigint, check, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import type { ledgers } from './billing.ts'
import { instant, micros } from './columns.ts'

/** How far the service has checked the rules about money and runs, and the findings. The table has one row. */
export const invariantChecks = pgTable(
  'invariant_checks',
  {
    id: integer('id').primaryKey(),
    /** Newest ledger transaction whose run was checked and whose entries are in `invariant_sums`. */
    ledgerMark: bigint('ledger_mark', { mode: 'number' }).notNull(),
    /** Where the repeated check of old rows continues: after this transaction and after this run. */
    patrolTransaction: bigint('patrol_transaction', { mode: 'number' }).notNull().default(-1),
    patrolRun: text('patrol_run').notNull().default(''),
    /** When every rule was last checked on all changes. */
    checkedAt: instant('checked_at').notNull(),
    attemptedAt: instant('attempted_at').notNull(),
    /** Names of the rules. */
    broken: text('broken').array().notNull(),
    unchecked: text('unchecked').array().notNull(),
  },
  (t) => [check('invariant_checks_one', sql`${t.id} = 1`)],
)

/** Sums of the entries of each pool, up to the mark. */
export const invariantSums = pgTable(
  'invariant_sums',
  {
    poolId: bigint('pool_id', { mode: 'bigint' }).notNull(),
    ledger: text('ledger').$type<(typeof ledgers)[number]>().notNull(),
    amountMicros: micros('amount_micros').notNull(),
  },
  (t) => [primaryKey({ columns: [t.poolId, t.ledger] })],
)

/** The last result of `models check` for each model. */
export const modelChecks = pgTable('model_checks', {
  model: text('model').primaryKey(),
  checkedAt: instant('checked_at').notNull(),
  result: jsonb('result').notNull(),
})
