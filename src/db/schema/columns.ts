import { type AnyPgColumn, bigint, customType, text, timestamp } from 'drizzle-orm/pg-core'

/** Raw bytes; node-postgres reads and writes `Buffer`. */
export const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' })

/**
 * A timestamp with time zone. Wherever an order or a deadline depends on it, only the database's clock sets it.
 */
export const instant = (name: string) => timestamp(name, { withTimezone: true, precision: 6 })

/** An amount in whole micro-credits (1 credit = 1,000,000). */
export const micros = (name: string) => bigint(name, { mode: 'bigint' })

/** A byte count below 2^53. */
export const byteCount = (name: string) => bigint(name, { mode: 'number' })

/** The id of another row. This one is deleted with it. */
export const belongsTo = (name: string, id: () => AnyPgColumn) =>
  text(name).notNull().references(id, { onDelete: 'cascade' })

/**
 * The id of an account. Rows of accounts stay, so it is no foreign key: the check of one would lock the account's row, for
 * which the statements of turns would wait.
 */
export const ofAccount = () => text('account_id').notNull()
