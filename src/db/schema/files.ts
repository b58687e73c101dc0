import { sql } from 'drizzle-orm'
import { check, index, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core'
import { projects } from './accounts.ts'
import { belongsTo, bytea, byteCount, instant, ofAccount } from './columns.ts'

/** A file of a project. Its versions hold the bytes; this row describes the newest sealed version. */
export const files = pgTable(
  'files',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    projectId: belongsTo('project_id', () => projects.id),
    /** The turn that created the file. Null for an upload. */
    sessionId: text('session_id'),
    runId: text('run_id'),
    name: text('name').notNull(),
    purpose: text('purpose').notNull(),
    version: integer('version').notNull(),
    bytes: byteCount('bytes').notNull(),
    sha256: text('sha256').notNull(),
    contentType: text('content_type').notNull(),
    createdAt: instant('created_at').notNull().defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (t) => [
    index('files_project').on(t.projectId, t.createdAt, t.id),
    index('files_project_name').on(t.projectId, t.name),
    index('files_run').on(t.runId).where(sql`${t.runId} is not null`),
  ],
)

/**
 * One version of a file's content. Rows in state `uploading` are invisible, and are deleted if the upload is
 * abandoned. Their `bytes` are the reserved size, and `createdAt` is when bytes last arrived.
 */
export const fileVersions = pgTable(
  'file_versions',
  {
    id: text('id').primaryKey(),
    accountId: ofAccount(),
    /** Null until the upload is assigned to a file. Deleting a file deletes its versions. */
    fileId: text('file_id').references(() => files.id, { onDelete: 'cascade' }),
    version: integer('version').notNull(),
    state: text('state', { enum: ['uploading', 'sealed'] }).notNull(),
    bytes: byteCount('bytes').notNull().default(0),
    sha256: text('sha256').notNull().default(''),
    contentType: text('content_type').notNull(),
    runId: text('run_id'),
    /** The object with the content, such as `s3://bucket/prefix/acct_1/file-2`. Null: `file_chunks` has the content. */
    location: text('location'),
    createdAt: instant('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('file_versions_number').on(t.fileId, t.version),
    // The stored bytes of an account are summed before each upload and each write.
    index('file_versions_account').on(t.accountId, t.bytes).where(sql`${t.state} = 'sealed'`),
    index('file_versions_uploading').on(t.createdAt).where(sql`${t.state} = 'uploading'`),
    index('file_versions_in_postgres')
      .on(t.createdAt)
      .where(sql`${t.location} is null and ${t.state} = 'sealed'`),
    check('file_versions_state', sql`${t.state} in ('uploading', 'sealed')`),
  ],
)

/**
 * Content in rows of at most 1 MiB, because the driver holds a whole value in memory. Of content in an object there are
 * only the first bytes, by which the kind of a file is told.
 */
export const fileChunks = pgTable(
  'file_chunks',
  {
    versionId: belongsTo('version_id', () => fileVersions.id),
    index: integer('index').notNull(),
    accountId: ofAccount(),
    data: bytea('data').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.versionId, t.index] }),
    check('file_chunks_size', sql`octet_length(${t.data}) <= 1048576`),
  ],
)

/**
 * Objects that no version has: of deleted versions, and of moves that have not ended. The periodic work removes them when
 * they are due. A location is never used twice.
 */
export const unusedObjects = pgTable('unused_objects', {
  location: text('location').primaryKey(),
  accountId: ofAccount(),
  dueAt: instant('due_at').notNull().defaultNow(),
})

/** The text of a document, extracted once per version. Plain text files have no row here. */
export const fileTexts = pgTable('file_texts', {
  versionId: belongsTo('version_id', () => fileVersions.id).primaryKey(),
  accountId: ofAccount(),
  /** Version of the extractor. Text of another version is extracted again. */
  extraction: integer('extraction').notNull(),
  text: text('text').notNull(),
  /** Why the text is missing or incomplete. Empty if it is complete. */
  problem: text('problem').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})
