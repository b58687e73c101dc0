import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  serial,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { bytea, instant } from './columns.ts'

/** The library is shared by all accounts and holds nothing of theirs: no row-level security here. */
export const works = pgTable(
  'works',
  {
    id: serial('id').primaryKey(),
    title: text('title').notNull(),
    heTitle: text('he_title').notNull().default(''),
    author: text('author').notNull().default(''),
    /** From general to special, as in the source's own table of contents. */
    categories: text('categories').array().notNull().default([]),
  },
  (t) => [uniqueIndex('works_title').on(t.title)],
)

/** One edition of a work in one language, with what must travel with every quotation from it. */
export const versions = pgTable(
  'versions',
  {
    id: serial('id').primaryKey(),
    workId: integer('work_id')
      .notNull()
      .references(() => works.id, { onDelete: 'cascade' }),
    language: text('language').notNull(),
    title: text('title').notNull(),
    license: text('license').notNull(),
    sourceUrl: text('source_url').notNull().default(''),
    machineMade: boolean('machine_made').notNull().default(false),
    /** SHA-256 of the imported content: importing the same again changes nothing. */
    contentHash: text('content_hash').notNull().default(''),
    /** Its texts hold the search documents `firstDoc` to `firstDoc + docCount - 1`. */
    firstDoc: integer('first_doc').notNull().default(0),
    docCount: integer('doc_count').notNull().default(0),
    /** Words in all its texts. */
    wordCount: bigint('word_count', { mode: 'number' }).notNull().default(0),
    importedAt: instant('imported_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('versions_title').on(t.workId, t.language, t.title)],
)

/** A place in a work, the unit that is found, read and cited. */
export const passages = pgTable(
  'passages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    workId: integer('work_id')
      .notNull()
      .references(() => works.id, { onDelete: 'cascade' }),
    /** Canonical, such as `Tanya, Part I; Likkutei Amarim 32:4`. */
    ref: text('ref').notNull(),
    heRef: text('he_ref').notNull().default(''),
    /** The ref one level up: passages of one section are neighbours. */
    sectionRef: text('section_ref').notNull(),
    /** Reading order in the work. */
    ordinal: integer('ordinal').notNull(),
  },
  (t) => [
    uniqueIndex('passages_ref').on(t.ref),
    index('passages_order').on(t.workId, t.ordinal),
    index('passages_section').on(t.sectionRef),
  ],
)

/** What refs stand under before their numbers, by every key under which a ref may name it (`sources/headings`). */
export const headings = pgTable(
  'headings',
  {
    key: text('key').notNull(),
    /** As in canonical refs. */
    heading: text('heading').notNull(),
    /** `place`, `work`, `title` or `former`: its own name, that of a work as a whole, another title, one it had before. */
    kind: text('kind').notNull().default('place'),
    workId: integer('work_id')
      .notNull()
      .references(() => works.id, { onDelete: 'cascade' }),
    firstOrdinal: integer('first_ordinal').notNull(),
    firstRef: text('first_ref').notNull(),
  },
  (t) => [primaryKey({ columns: [t.key, t.heading] }), index('headings_work').on(t.workId)],
)

/** The words of a passage in one version: display text as printed, footnotes apart. */
export const passageTexts = pgTable(
  'passage_texts',
  {
    passageId: bigint('passage_id', { mode: 'number' })
      .notNull()
      .references(() => passages.id, { onDelete: 'cascade' }),
    versionId: integer('version_id')
      .notNull()
      .references(() => versions.id, { onDelete: 'cascade' }),
    language: text('language').notNull(),
    /** Number of this text in the search index; never given to another text. */
    docId: integer('doc_id').notNull(),
    text: text('text').notNull(),
    /** Where this text comes from, when that is not what its version says of all; empty otherwise. */
    url: text('url').notNull().default(''),
    notes: jsonb('notes').notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.passageId, t.versionId] }),
    index('passage_texts_version').on(t.versionId),
    uniqueIndex('passage_texts_doc').on(t.docId),
  ],
)

/** A reference from one place to another (parallels, quoted sources). Either side may be outside the library. */
export const links = pgTable(
  'links',
  {
    fromRef: text('from_ref').notNull(),
    toRef: text('to_ref').notNull(),
    kind: text('kind').notNull().default(''),
  },
  (t) => [primaryKey({ columns: [t.fromRef, t.toRef] }), index('links_to').on(t.toRef)],
)

/**
 * The inverted index. A row holds the documents of one block (65,536 document numbers) that contain the term, four
 * bytes each, see `sources/postings`. Its `data` is stored EXTERNAL (a migration says so): compressing it gains
 * little and would cost at every search.
 */
export const searchPostings = pgTable(
  'search_postings',
  {
    term: text('term').notNull(),
    block: integer('block').notNull(),
    documents: integer('documents').notNull(),
    data: bytea('data').notNull(),
  },
  (t) => [primaryKey({ columns: [t.term, t.block] })],
)

/** Terms by their class of spellings, to find `hasidut` by `chassidus`. A term may have lost its last document. */
export const searchSpellings = pgTable(
  'search_spellings',
  {
    skeleton: text('skeleton').notNull(),
    term: text('term').notNull(),
  },
  (t) => [primaryKey({ columns: [t.skeleton, t.term] })],
)

/**
 * Words of two languages that belong together, as the passages show that stand in both (`sources/index/associations`):
 * each pair in both directions. `strength` is in thousandths.
 */
export const searchAssociations = pgTable(
  'search_associations',
  {
    term: text('term').notNull(),
    other: text('other').notNull(),
    strength: integer('strength').notNull(),
  },
  (t) => [primaryKey({ columns: [t.term, t.other] })],
)

/** Facts about the library as a whole: the next document number, the normaliser that made the index, and so on. */
export const libraryState = pgTable('library_state', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
})
