import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { accounts } from './accounts.ts'
import { instant } from './columns.ts'

/** One entry of a source sheet, in the sheet's order. Passages are stored by ref; their texts stay in the library. */
export type SheetEntry =
  | {
      readonly kind: 'passage'
      /** Unique in the sheet. */
      readonly id: string
      readonly ref: string
      /** The author's heading; empty when there is none. */
      readonly heading: string
      readonly languages: 'he' | 'en' | 'both'
      /** Title of the version in each language. Empty: the version with most of the passages. */
      readonly versions: { readonly he: string; readonly en: string }
    }
  | { readonly kind: 'note'; readonly id: string; readonly text: string }

/** A source sheet that somebody edits on the pages. */
export const sourceSheets = pgTable(
  'source_sheets',
  {
    id: text('id').primaryKey(),
    accountId: text('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    title: text('title').notNull(),
    intro: text('intro').notNull().default(''),
    entries: jsonb('entries').$type<readonly SheetEntry[]>().notNull().default(sql`'[]'`),
    /**
     * Token of the public link; null without one. It is stored as text, so that its owner can copy the link again: it
     * shows no more than this row does.
     */
    publicToken: text('public_token'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('source_sheets_account').on(t.accountId, t.updatedAt),
    uniqueIndex('source_sheets_public').on(t.publicToken),
  ],
)
