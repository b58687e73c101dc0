import { and, eq, sql } from 'drizzle-orm'
import { type Executor, withTx } from '../db/client.ts'
import { fileTexts, fileVersions } from '../db/schema/index.ts'
import { ContentLost, type FileStores, readBuffer, readHead, readStream, readWhole } from './content.ts'
import { ExtractionFailed, extraction, extractText, maxDocumentBytes } from './documents/extract.ts'
import { headBytes, kindOf, type TextKind, unknownEncoding } from './documents/kinds.ts'
import { type DocumentText, noTextLayer } from './documents/read.ts'
import { decodedText } from './documents/text-encoding.ts'
import { type FileVersion, findVersion, type StoredFile } from './files.ts'
import { isStoreFault } from './object-store.ts'
import type { Recognition } from './recognition.ts'
import { sheetGenerator } from './sheets/sheet.ts'

/** Maximum size of a text that is read or edited, because it is held in memory completely. */
const maxTextBytes = 4_000_000

const deleted = 'It has been deleted.'

/** A file as the agent reads it: the text of its newest version, or the reason why it has none. */
export type FileText = DocumentText & { readonly file: StoredFile; readonly kind: TextKind | undefined }

/** What reads files. Without `recognition`, scanned documents have no text. */
export type FileReader = FileStores & { readonly recognition?: Recognition | undefined }

/**
 * Returns the text of a file. The text of a document is extracted at the first request and stored. No connection is
 * held during extraction.
 * @throws the reason of `signal` when it is aborted.
 */
export async function fileText(reader: FileReader, file: StoredFile, signal: AbortSignal): Promise<FileText> {
  const { recognition } = reader
  const found = await withTx(reader.database, file, (tx) => lookUpText(reader, tx, file))
  const { version, kind } = found
  const read = 'text' in found ? found : await readOnce(reader, found.version, found.kind, signal)
  const { text, problem } =
    recognition && version && read.problem === noTextLayer
      ? await recognisedText(reader, recognition, version, signal)
      : read
  return { file, kind, text, problem }
}

type TextLookup =
  | (DocumentText & { readonly kind: TextKind | undefined; readonly version?: FileVersion })
  | { readonly version: FileVersion; readonly kind: TextKind }

/** Returns the text if the database has it: a plain text, or a stored extraction. */
async function lookUpText(stores: FileStores, tx: Executor, file: StoredFile): Promise<TextLookup> {
  const version = await findVersion(tx, file)
  if (!version) return { text: '', problem: deleted, kind: undefined }
  const kind = await kindOfVersion(tx, file, version)
  if (typeof kind !== 'string') return { text: '', problem: kind.problem, kind: undefined }
  if (kind === 'text') {
    if (version.location !== null) return { version, kind }
    return { kind, ...(await plainText(version, () => readBuffer(stores, tx, version))) }
  }
  const kept = await keptText(tx, version)
  if (kept) return { version, kind, ...kept }
  if (version.bytes > maxDocumentBytes) return { kind, text: '', problem: 'It is too large to be read.' }
  return { version, kind }
}

async function keptText(tx: Executor, version: FileVersion): Promise<DocumentText | undefined> {
  const [kept] = await tx
    .select({ text: fileTexts.text, problem: fileTexts.problem })
    .from(fileTexts)
    .where(and(eq(fileTexts.versionId, version.id), eq(fileTexts.extraction, extraction)))
  return kept
}

/**
 * The kind of a version. A text written by a turn is plain text, whatever its name; generated sheets have the kind of
 * their format.
 */
async function kindOfVersion(
  tx: Executor,
  file: StoredFile,
  version: FileVersion,
): Promise<ReturnType<typeof kindOf>> {
  const head = await readHead(tx, version.id, headBytes)
  const written = /^(text\/|application\/json)/.test(version.contentType) && !head.includes(sheetGenerator)
  if (version.runId !== null && written) return 'text'
  return kindOf(head, { name: file.name, contentType: version.contentType })
}

/**
 * Returns a file's text for editing.
 * @returns undefined when it is not a text, or too large.
 * @throws ServiceError `file_store_unavailable`.
 */
export async function editableText(
  stores: FileStores,
  tx: Executor,
  file: StoredFile,
): Promise<string | undefined> {
  const version = await findVersion(tx, file)
  if (!version) return undefined
  const kind = await kindOfVersion(tx, file, version)
  if (kind !== 'text' && kind !== 'html') return undefined
  const { text, problem } = await plainText(version, () => readBuffer(stores, tx, version))
  return problem === '' ? text : undefined
}

async function plainText(version: FileVersion, read: () => Promise<Buffer>): Promise<DocumentText> {
  if (version.bytes > maxTextBytes) return { text: '', problem: 'It is too large to be read.' }
  const text = decodedText(await read())
  return text === undefined ? { text: '', problem: unknownEncoding } : { text, problem: '' }
}

/** Reads the text of a version outside of a transaction. Faults of the reader and of the store become its problem. */
async function readOnce(
  stores: FileStores,
  version: FileVersion,
  kind: TextKind,
  signal: AbortSignal,
): Promise<DocumentText> {
  try {
    if (kind === 'text') return await plainText(version, () => readWhole(stores, version))
    return await extractOnce(stores, version, kind, signal)
  } catch (error) {
    if (error instanceof ContentLost) return { text: '', problem: deleted }
    if (isStoreFault(error) || error instanceof ExtractionFailed) {
      return { text: '', problem: 'It could not be read just now. Try again later.' }
    }
    throw error
  }
}

/** Extracts the text of a document and stores it. If two turns do this at once, both store the same text. */
async function extractOnce(
  stores: FileStores,
  version: FileVersion,
  kind: Exclude<TextKind, 'text'>,
  signal: AbortSignal,
): Promise<DocumentText> {
  const content = readStream(stores, version, { start: 0, end: version.bytes })
  const read = await extractText(kind, content, signal, undefined, version.accountId)
  await withTx(stores.database, version, (tx) => keep(tx, version, read))
  return read
}

const recognised = 'Its text was recognised from pictures of its pages (OCR), and can have mistakes.'

/** The text of a scanned PDF, stored when it is recognised. */
function recognisedText(
  stores: FileStores,
  recognition: Recognition,
  version: FileVersion,
  signal: AbortSignal,
): Promise<DocumentText> {
  const { id, accountId, bytes } = version
  const content = () => readStream(stores, version, { start: 0, end: bytes })
  const known = async () => {
    const kept = await withTx(stores.database, version, (tx) => keptText(tx, version))
    return kept?.text === '' ? undefined : kept
  }
  return recognition.textOf({ id, accountId, recognised: known, content }, signal, async (pdf, closing) => {
    const read = await extractText('pdf', oneChunk(pdf), closing, undefined, accountId)
    if (read.text === '') return read
    const marked = { text: read.text, problem: read.problem || recognised }
    await withTx(stores.database, version, (tx) => keep(tx, version, marked))
    return marked
  })
}

async function* oneChunk(content: Buffer): AsyncGenerator<Buffer> {
  yield content
}

/** Stores what was read, but not in place of a text: a slow reader can find none in a scan recognised meanwhile. */
async function keep(tx: Executor, version: FileVersion, { text, problem }: DocumentText): Promise<void> {
  const [there] = await tx
    .select({ id: fileVersions.id })
    .from(fileVersions)
    .where(eq(fileVersions.id, version.id))
    .for('key share')
  if (!there) return
  const kept = { text, problem, extraction }
  const setWhere = sql`${fileTexts.text} = '' or ${fileTexts.extraction} <> ${extraction}`
  await tx
    .insert(fileTexts)
    .values({ versionId: version.id, accountId: version.accountId, ...kept })
    .onConflictDoUpdate({ target: fileTexts.versionId, set: kept, setWhere })
}
