import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  check,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { belongsTo, instant, micros } from './columns.ts'

/** Credits of one origin and one expiry. Both sums equal the sums of its entries, and neither is negative. */
export const creditPools = pgTable(
  'credit_pools',
  {
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    accountId: belongsTo('account_id', () => accounts.id),
    kind: text('kind', { enum: ['allowance', 'grant'] }).notNull(),
    /** First instant of the allowance's month. Null for a grant. */
    periodStart: instant('period_start'),
    availableMicros: micros('available_micros').notNull(),
    heldMicros: micros('held_micros').notNull().default(sql`0`),
    expiresAt: instant('expires_at'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('credit_pools_allowance').on(t.accountId, t.periodStart),
    index('credit_pools_account').on(t.accountId, t.expiresAt),
    check('credit_pools_available', sql`${t.availableMicros} >= 0`),
    check('credit_pools_held', sql`${t.heldMicros} >= 0`),
  ],
)

export const creditTransactionKinds = [
  'allowance',
  'grant',
  'hold',
  'extend',
  'charge',
  'release',
  'expire',
  'take_back',
] as const

/** One movement of credits. Its entries sum to zero. Rows are immutable. */
export const creditTransactions = pgTable(
  'credit_transactions',
  {
    id: bigserial('id', { mode: 'bigint' }).primaryKey(),
    accountId: text('account_id').notNull(),
    runId: text('run_id'),
    kind: text('kind', { enum: creditTransactionKinds }).notNull(),
    /** For `extend`: the step before which the hold was extended. */
    step: integer('step'),
    /**
     * For `extend`: the epoch of the attempt that extended the hold. A new owner may extend it for the same
     * step again.
     */
    epoch: integer('epoch').notNull().default(0),
    amountMicros: micros('amount_micros').notNull(),
    /** For `charge`: model, key, project and tokens, so that usage reports need only the ledger. */
    facts: jsonb('facts'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('credit_transactions_once')
      .on(t.runId, t.kind)
      .where(sql`${t.kind} in ('hold', 'charge', 'release')`),
    uniqueIndex('credit_transactions_extend_once')
      .on(t.runId, t.step, t.epoch)
      .where(sql`${t.kind} = 'extend'`),
    index('credit_transactions_account').on(t.accountId, t.createdAt),
    check('credit_transactions_amount', sql`${t.amountMicros} >= 0`),
  ],
)

/** The ledgers. `issued` and `spent` are the counter-accounts outside the pools. */
export const ledgers = ['issued', 'available', 'held', 'spent'] as const

export const creditEntries = pgTable(
  'credit_entries',
  {
    transactionId: bigint('transaction_id', { mode: 'bigint' }).notNull(),
    poolId: bigint('pool_id', { mode: 'bigint' }).notNull(),
    ledger: text('ledger', { enum: ledgers }).notNull(),
    accountId: text('account_id').notNull(),
    amountMicros: micros('amount_micros').notNull(),
  },
  (t) => [primaryKey({ columns: [t.transactionId, t.poolId, t.ledger] })],
)
