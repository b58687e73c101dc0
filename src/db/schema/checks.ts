import { sql } from 'drizzle-orm'
import { check, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import { instant } from './columns.ts'

/** The result of the newest check of the rules about money and runs. The table has one row. */
export const invariantChecks = pgTable(
  'invariant_checks',
  {
    id: integer('id').primaryKey(),
    /** When every rule was last checked. */
    checkedAt: instant('checked_at').notNull(),
    attemptedAt: instant('attempted_at').notNull(),
    /** Names of the rules. */
    broken: text('broken').array().notNull(),
    unchecked: text('unchecked').array().notNull(),
  },
  (t) => [check('invariant_checks_one', sql`${t.id} = 1`)],
)

/** The last result of `models check` for each model. */
export const modelChecks = pgTable('model_checks', {
  model: text('model').primaryKey(),
  checkedAt: instant('checked_at').notNull(),
  result: jsonb('result').notNull(),
})
