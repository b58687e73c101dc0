import { sql } from 'drizzle-orm'
import {
  bigint,
  bigserial,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  real,
  serial,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import { bytea, instant } from './columns.ts'

/** The library is shared by all accounts and contains no data of theirs, so it has no row-level security. */
export const works = pgTable(
  'works',
  {
    id: serial('id').primaryKey(),
    title: text('title').notNull(),
    heTitle: text('he_title').notNull().default(''),
    author: text('author').notNull().default(''),
    /** From general to specific, as in the source's table of contents. */
    categories: text('categories').array().notNull().default([]),
    /** First and last year in which the work was written; negative before the common era. Both or neither. */
    composedFrom: integer('composed_from'),
    composedTo: integer('composed_to'),
  },
  (t) => [uniqueIndex('works_title').on(t.title)],
)

/** One edition of a work in one language, with the data that every quotation from it must show. */
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
    /** SHA-256 of the imported content. Importing the same content again changes nothing. */
    contentHash: text('content_hash').notNull().default(''),
    /** Its texts have the document numbers `firstDoc` to `firstDoc + docCount - 1` in the search index. */
    firstDoc: integer('first_doc').notNull().default(0),
    docCount: integer('doc_count').notNull().default(0),
    /** Number of words in all its texts. */
    wordCount: bigint('word_count', { mode: 'number' }).notNull().default(0),
    importedAt: instant('imported_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('versions_title').on(t.workId, t.language, t.title)],
)

/**
 * A passage of a work: the unit of search, reading and citation. It has no foreign key, because that check was half of
 * the time of an import: a trigger deletes passages with their work, and `sources check` finds passages without one.
 */
export const passages = pgTable(
  'passages',
  {
    id: bigserial('id', { mode: 'number' }).primaryKey(),
    workId: integer('work_id').notNull(),
    /** The canonical ref, such as `Tanya, Part I; Likkutei Amarim 32:4`. */
    ref: text('ref').notNull(),
    heRef: text('he_ref').notNull().default(''),
    /** The ref one level up. Passages of one section are neighbours. */
    sectionRef: text('section_ref').notNull(),
    /** Position in the reading order of the work. */
    ordinal: integer('ordinal').notNull(),
  },
  (t) => [
    uniqueIndex('passages_ref').on(t.ref),
    index('passages_order').on(t.workId, t.ordinal),
    index('passages_section').on(t.sectionRef),
  ],
)

/**
 * Headings: the part of refs before their numbers, by every key that a ref may use for it
 * (`sources/text/heading-keys`).
 */
export const headings = pgTable(
  'headings',
  {
    key: text('key').notNull(),
    /** The heading as canonical refs write it. */
    heading: text('heading').notNull(),
    /**
     * `place`: its own name. `work`: the name of the whole work. `title`: another title. `former`: an earlier
     * name.
     */
    kind: text('kind').notNull().default('place'),
    workId: integer('work_id')
      .notNull()
      .references(() => works.id, { onDelete: 'cascade' }),
    firstOrdinal: integer('first_ordinal').notNull(),
    firstRef: text('first_ref').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.key, t.heading] }),
    index('headings_work').on(t.workId),
    // Titles in a text are found by their first words.
    index('headings_first_word').on(sql`split_part(${t.key}, ' ', 1)`),
  ],
)

/**
 * The text of a passage in one version, as printed. Footnotes are separate. It has no foreign keys, like `passages`:
 * triggers delete texts with their passage or version.
 */
export const passageTexts = pgTable(
  'passage_texts',
  {
    passageId: bigint('passage_id', { mode: 'number' }).notNull(),
    versionId: integer('version_id').notNull(),
    language: text('language').notNull(),
    /** Number of this text in the search index. It is never reused. */
    docId: integer('doc_id').notNull(),
    text: text('text').notNull(),
    /** URL of this text if it differs from its version's. Empty otherwise. */
    url: text('url').notNull().default(''),
    notes: jsonb('notes').notNull().default([]),
  },
  (t) => [
    primaryKey({ columns: [t.passageId, t.versionId] }),
    index('passage_texts_version').on(t.versionId),
    uniqueIndex('passage_texts_doc').on(t.docId),
  ],
)

/** Models that have made vectors of this library, see `sources/vectors`. */
export const embeddingModels = pgTable('embedding_models', {
  id: serial('id').primaryKey(),
  /** As `EMBEDDINGS_MODEL` has it. */
  name: text('name').notNull().unique(),
  dims: integer('dims').notNull(),
  /** Rises when a vector was stored below the highest document that has one. */
  revision: integer('revision').notNull().default(0),
})

/**
 * What a text means, as a vector of length 1: one byte a dimension, filled up to a multiple of 16, times
 * `scale`.
 */
export const passageVectors = pgTable('passage_vectors', {
  docId: integer('doc_id')
    .primaryKey()
    .references(() => passageTexts.docId, { onDelete: 'cascade' }),
  modelId: integer('model_id')
    .notNull()
    .references(() => embeddingModels.id, { onDelete: 'cascade' }),
  scale: real('scale').notNull(),
  components: bytea('components').notNull(),
})

/** A reference from one place to another (parallels, quoted sources). Either end may be outside the library. */
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
 * The inverted index. A row lists the documents of one block (65,536 document numbers) that contain the term,
 * four bytes each (see `sources/index/postings`). By a migration the primary key includes `documents`, so that counts need no row, and `data`
 * is stored EXTERNAL: compression saves little and would slow down every search.
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

/**
 * Terms by spelling and inflection class, so that `chassidus` finds `hasidut`. A row has the pairs of one bucket of
 * classes (`sources/index/spelling-pairs`) for the terms of one block, one a line: the class, a tab, the term. A pair
 * may stand in several blocks, and a term may have no documents left.
 */
export const searchSpellingBuckets = pgTable(
  'search_spelling_buckets',
  {
    bucket: integer('bucket').notNull(),
    block: integer('block').notNull(),
    pairs: text('pairs').notNull(),
  },
  (t) => [primaryKey({ columns: [t.bucket, t.block] })],
)

/**
 * The same pairs as rows, of libraries and replicas before `search_spelling_buckets`. A trigger copies them there, and
 * nothing in this version reads them.
 */
export const searchSpellings = pgTable(
  'search_spellings',
  {
    skeleton: text('skeleton').notNull(),
    term: text('term').notNull(),
  },
  (t) => [primaryKey({ columns: [t.skeleton, t.term] })],
)

export const libraryJobStatuses = ['queued', 'running', 'done', 'failed', 'cancelled'] as const

/** An import of a collection. At most one runs, and each collection has at most one that is unfinished. */
export const libraryJobs = pgTable(
  'library_jobs',
  {
    id: text('id').primaryKey(),
    collection: text('collection').notNull(),
    /** Classes of restricted licences that the operator allowed. */
    allowLicenses: text('allow_licenses').array().notNull().default([]),
    /** `service`: any replica claims it. `command`: a command runs it, and nobody continues it. */
    runBy: text('run_by', { enum: ['service', 'command'] }).notNull(),
    status: text('status', { enum: libraryJobStatuses }).notNull(),
    /** Id of the operator's account, or `command line`. */
    requestedBy: text('requested_by').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    startedAt: instant('started_at'),
    finishedAt: instant('finished_at'),
    cancelRequestedAt: instant('cancel_requested_at'),
    leaseOwner: text('lease_owner'),
    leaseExpiresAt: instant('lease_expires_at'),
    /** Number of claims. Each fences off the former owner. */
    epoch: integer('epoch').notNull().default(0),
    /** Attempts in a row whose process ended before they stored a work more than those before. */
    failedAttempts: integer('failed_attempts').notNull().default(0),
    /** The highest number of works that an ended attempt had done. */
    worksDone: integer('works_done').notNull().default(0),
    /** The newest `CollectionProgress`. */
    progress: jsonb('progress'),
    /** Counts of the finished import. */
    report: jsonb('report'),
    error: text('error'),
  },
  (t) => [
    uniqueIndex('library_jobs_running').on(t.status).where(sql`${t.status} = 'running'`),
    uniqueIndex('library_jobs_unfinished').on(t.collection).where(sql`${t.status} in ('queued', 'running')`),
    index('library_jobs_collection').on(t.collection, t.createdAt),
  ],
)

/**
 * Facts about the library as a whole, such as the next document number and the normaliser version of the index.
 */
export const libraryState = pgTable('library_state', {
  key: text('key').primaryKey(),
  value: text('value').notNull(),
})
