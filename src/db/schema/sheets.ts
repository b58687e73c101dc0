import { sql } from 'drizzle-orm'
import { index, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { bytea, instant, ofAccount } from './columns.ts'

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
    accountId: ofAccount(),
    title: text('title').notNull(),
    intro: text('intro').notNull().default(''),
    entries: jsonb('entries').$type<readonly SheetEntry[]>().notNull().default(sql`'[]'`),
    /** Of the public link, see `accounts/public-links`; null without one. */
    linkDigest: bytea('link_digest'),
    linkSeed: bytea('link_seed'),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('source_sheets_account').on(t.accountId, t.updatedAt),
    uniqueIndex('source_sheets_link').on(t.linkDigest),
  ],
)
