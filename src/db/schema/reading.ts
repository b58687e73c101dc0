import { sql } from 'drizzle-orm'
import { check, index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core'
import { instant, ofAccount } from './columns.ts'

/**
 * `history`: a page that was read. `bookmark`: a passage to come back to. `note`: words of the reader on a passage.
 * `daily`: a work that is read a portion a day, from `at` on.
 */
export const readingMarkKinds = ['history', 'bookmark', 'note', 'daily'] as const

/** What an account has kept of its reading. Refs are text, because the library may be in another database. */
export const readingMarks = pgTable(
  'reading_marks',
  {
    accountId: ofAccount(),
    kind: text('kind', { enum: readingMarkKinds }).notNull(),
    /** The ref of the page or passage. For `daily`: the title of the work. */
    ref: text('ref').notNull(),
    /** The words of a note; empty for the other kinds. */
    text: text('text').notNull().default(''),
    at: instant('at').notNull().defaultNow(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.kind, t.ref] }),
    index('reading_marks_newest').on(t.accountId, t.kind, t.at),
    check('reading_marks_kind', sql`${t.kind} in ('history', 'bookmark', 'note', 'daily')`),
  ],
)
