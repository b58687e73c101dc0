import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { describedTool } from '../../agent/prompts/described-tool.ts'
import { badArguments, type Tool, type ToolOutcome } from '../../agent/tools.ts'
import { type Executor, withTx } from '../../db/client.ts'
import type { LibraryDatabase } from '../../db/library/library-database.ts'
import type { SourceMarks } from '../../sources/citations/source-marks.ts'
import { cleanFileName } from '../documents/file-names.ts'
import { type FilePlace, findByIdOrName, listByName, type StoredFile } from '../files.ts'
import { passagesOf } from '../passages.ts'
import { searchTexts } from '../search.ts'
import { type FileReader, type FileText, fileText } from '../texts.ts'
import { markPassage, note } from './cited-passages.ts'
import { sheetTool } from './tool.ts'
import { type FindLimits, writingTools } from './writing-tools.ts'

/** Maximum UTF-8 bytes of passages in one result, so that a turn with many calls fits the model's window. */
const maxBytes = 24 * 1024

/** What the tools of one turn work with. */
export type Workspace = FileReader & {
  readonly library: LibraryDatabase
  readonly place: FilePlace
  readonly findLimits: FindLimits
  /** Assigns the marks of the turn to passages. */
  readonly sourceMarks: SourceMarks
}

/** The tools for the files of one project. Writes wait for the transaction of the step. */
export function workspaceTools(workspace: Workspace): readonly Tool<Executor>[] {
  return [
    listTool(workspace),
    readTool(workspace),
    searchTool(workspace),
    ...writingTools(workspace),
    sheetTool(workspace),
  ]
}

/** Maximum number of names in one list. */
const maxNames = 200

type ListedFile = {
  readonly name: string
  readonly bytes: string
  readonly content_type: string
  readonly version: number
}

function listTool({ database, place }: Workspace): Tool<Executor> {
  return describedTool(
    'list_files',
    z.object({}),
    () => 'Listing the files of the project',
    async () => {
      // A single call of a function that names the account to the row policies itself.
      const { rows } = await database.system.execute<ListedFile>(
        sql`select name, bytes, content_type, version from project_files(${place.accountId}, ${place.projectId})`,
      )
      const names = new Set<string>()
      const newest = rows.filter(({ name }) => !names.has(name) && names.add(name))
      const files = newest.slice(0, maxNames).map((file) => ({ ...file, bytes: Number(file.bytes) }))
      const omitted = newest.length - files.length
      return { content: JSON.stringify({ files, ...(omitted > 0 && { omitted }) }) }
    },
  )
}

const readArguments = z.object({
  name: z.string().max(1_000).describe('Name of the file, or its id.'),
  offset: z.number().int().min(0).default(0).describe('Characters of the text to skip.'),
})

function readTool(workspace: Workspace): Tool<Executor> {
  const { database, place, sourceMarks } = workspace
  return describedTool(
    'read_file',
    readArguments,
    (args) =>
      `Reading the file ${String(args['name'] ?? '')}${args['offset'] ? `, from character ${String(args['offset'])}` : ''}`,
    async ({ name, offset }, signal) => {
      const wanted = cleanFileName(name, 'name')
      const file = await withTx(database, place, (tx) => findByIdOrName(tx, place.projectId, wanted))
      if (!file) return badArguments(`There is no file "${wanted}". list_files shows the names.`)
      const found = await fileText(workspace, file, signal)
      if (found.text === '' && found.problem !== '') {
        const error = `The file "${file.name}" cannot be read. ${found.problem}`
        return {
          content: JSON.stringify({ error, name: file.name, problem: found.problem }),
          isError: true,
        }
      }
      return readWindow(sourceMarks, found, offset)
    },
  )
}

/** As many passages from `offset` on as fit in a result. */
function readWindow(sourceMarks: SourceMarks, found: FileText, offset: number): ToolOutcome<Executor> {
  const { text, problem, file } = found
  const room = new Room()
  let next = offset
  for (const passage of passagesOf(text)) {
    if (passage.end <= offset) continue
    const part = { ...passage, start: Math.max(passage.start, offset) }
    if (text.slice(part.start, part.end).trim() !== '' && !room.add(markPassage(sourceMarks, found, part)))
      break
    next = part.end
  }
  const window = {
    note,
    name: file.name,
    version: file.version,
    ...(problem !== '' && { incomplete: problem }),
    length: text.length,
    next_offset: next < text.length ? next : null,
    passages: room.shown,
  }
  return { content: JSON.stringify(window), sources: room.sources }
}

const searchArguments = z.object({
  query: z.string().trim().min(1).max(2000),
  limit: z.number().int().min(1).max(20).default(8),
})

/** Limits of one search: files, characters, and time for documents that are not extracted yet. */
const maxFiles = 200
const maxSearched = 8_000_000
const readingMs = 20_000

function searchTool(workspace: Workspace): Tool<Executor> {
  const { database, place, sourceMarks } = workspace
  return describedTool(
    'search_files',
    searchArguments,
    (args) => `Searching the files for "${String(args['query'] ?? '')}"`,
    async ({ query, limit }, signal) => {
      const { files, more } = await withTx(database, place, (tx) => listByName(tx, place.projectId))
      const { texts, skipped } = await readTexts(workspace, files, signal)
      const hits = await searchTexts(texts, query, limit, signal)
      const room = new Room()
      for (const { found, passage } of hits) {
        if (!room.add(markPassage(sourceMarks, found, passage), { offset: passage.start })) break
      }
      const unread = skipped.length + more > 0 && {
        not_searched: skipped.slice(0, 20),
        not_searched_count: skipped.length + more,
      }
      if (hits.length > 0) {
        return { content: JSON.stringify({ note, passages: room.shown, ...unread }), sources: room.sources }
      }
      const error = `Nothing in the files of the project matches "${query}".`
      return { content: JSON.stringify({ error, ...unread }), isError: true }
    },
  )
}

/** Reads the texts of files, newest first, within the limits of a search. For other files it returns the names. */
async function readTexts(reader: FileReader, files: readonly StoredFile[], signal: AbortSignal) {
  const texts: FileText[] = []
  const skipped: string[] = []
  const late = AbortSignal.timeout(readingMs)
  let length = 0
  for (const file of files) {
    const found =
      texts.length < maxFiles && length < maxSearched && !late.aborted
        ? await inTime(fileText(reader, file, AbortSignal.any([signal, late])), signal, late)
        : undefined
    if (found === undefined) skipped.push(file.name)
    else if (found.text !== '') texts.push(found)
    else if (found.problem !== '') skipped.push(file.name)
    length += found?.text.length ?? 0
  }
  return { texts, skipped }
}

/** Undefined for a text that was not ready in time. */
async function inTime(
  reading: Promise<FileText>,
  signal: AbortSignal,
  late: AbortSignal,
): Promise<FileText | undefined> {
  try {
    return await reading
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) return undefined
    throw error
  }
}

/** Collects passages until a result is full. Passages are short, so the first one always fits. */
class Room {
  readonly sources: ReturnType<typeof markPassage>['source'][] = []
  readonly shown: object[] = []
  #left = maxBytes

  /** @returns false when it no longer fits. */
  add({ source, shown }: ReturnType<typeof markPassage>, more: object = {}): boolean {
    const entry = { ...shown, ...more }
    this.#left -= Buffer.byteLength(JSON.stringify(entry)) + 1
    if (this.#left < 0 && this.shown.length > 0) return false
    this.sources.push(source)
    this.shown.push(entry)
    return true
  }
}
