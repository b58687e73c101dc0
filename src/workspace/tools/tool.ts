import { z } from 'zod'
import { describedTool } from '../../agent/prompts/described-tool.ts'
import {
  badArguments,
  type CommittedChange,
  type FileChange,
  type Tool,
  type ToolOutcome,
} from '../../agent/tools.ts'
import type { Executor } from '../../db/client.ts'
import type { LibraryDatabase } from '../../db/library/library-database.ts'
import { maxRangePassages } from '../../sources/library/load-passages.ts'
import { whileLibraryAnswers } from '../../sources/tools/library-outage.ts'
import { cleanFileName, endingOf } from '../documents/file-names.ts'
import { type FilePlace, findByName, findVersion } from '../files.ts'
import { lockStorage, requireRoom } from '../quota.ts'
import { gatherSource, type ItemProblem } from '../sheets/gather.ts'
import { RenderingFailed, renderSheet } from '../sheets/render.ts'
import {
  languagesOf,
  printable,
  type Sheet,
  type SheetFormat,
  type SheetSource,
  sheetFormats,
} from '../sheets/sheet.ts'
import { lockNames, writeContent } from '../writing.ts'
import { type FindLimits, refusable } from './writing-tools.ts'

/** Maximum characters of all texts of a sheet: about 150 pages. */
const maxTextLength = 300_000

const words = (most: number) => z.string().max(most).transform(printable)

const sheetArguments = z.object({
  name: z.string().min(1).max(1_000).describe('Name of the files, without an ending, such as beinoni.'),
  title: words(200).pipe(z.string().min(1)).describe('The sheet is labelled in the language of its title.'),
  intro: words(4_000).default('').describe('Introduction in your words. Plain text, as all others.'),
  items: z
    .array(
      z.object({
        ref: z
          .string()
          .trim()
          .min(1)
          .max(300)
          .describe(
            `A passage, or a section or range of at most ${maxRangePassages}, as refs are written in the library.`,
          ),
        heading: words(200).default('').describe('In your words; without one the ref stands there.'),
        note: words(4_000)
          .default('')
          .describe('Explanation or question in your words, set apart from the text.'),
        languages: z.enum(['he', 'en', 'both']).default('both'),
      }),
    )
    .min(1)
    .max(40),
  formats: z
    .array(z.enum(sheetFormats))
    .min(1)
    .max(8)
    .default(['docx', 'pdf'])
    .transform((formats) => [...new Set(formats)]),
})

type SheetArguments = z.infer<typeof sheetArguments>

type SheetPlace = {
  readonly library: LibraryDatabase
  readonly place: FilePlace
  readonly findLimits: FindLimits
}

/**
 * A tool that makes a study sheet from passages of the library and writes it into the project, one file per format.
 */
export function sheetTool(workspace: SheetPlace): Tool<Executor> {
  return describedTool(
    'make_source_sheet',
    sheetArguments,
    (args) => `Making the source sheet "${String(args['title'] ?? '')}"`,
    (args, signal) =>
      whileLibraryAnswers(workspace.library, () => makeSheet(workspace, args, signal), signal),
  )
}

async function makeSheet(
  workspace: SheetPlace,
  args: SheetArguments,
  signal: AbortSignal,
): Promise<ToolOutcome<Executor>> {
  const baseName = baseNameOf(args.name)
  const nameOf = (format: SheetFormat) => cleanFileName(`${baseName}.${format}`, 'name')
  for (const format of args.formats) nameOf(format)
  const gathered = await gatherAll(workspace.library.system, args, signal)
  if ('problems' in gathered) {
    const error = 'No sheet was made, because of these items.'
    return { content: JSON.stringify({ error, items: gathered.problems }), isError: true }
  }
  const { sheet } = gathered
  if (lengthOf(sheet) > maxTextLength) {
    return badArguments(`The sheet would have more than ${maxTextLength} characters: take smaller passages.`)
  }
  try {
    const rendered = await renderSheet(sheet, args.formats, signal, workspace.place.accountId)
    const files = rendered.map(({ format, content }) => ({ name: nameOf(format), content }))
    return {
      content: JSON.stringify({
        written: files.map(({ name }) => name),
        sources: sheet.sources.map(summary),
      }),
      commit: (tx) => refusable(() => writeFiles(tx, workspace, files)),
    }
  } catch (error) {
    if (!(error instanceof RenderingFailed)) throw error
    const cause = error.isTooLarge
      ? 'The sheet would take too much work'
      : 'The sheet could not be made just now'
    return badArguments(`${cause}. Another format may work, such as md.`)
  }
}

/** Removes an ending that names a format, because each file gets its own. */
function baseNameOf(written: string): string {
  const name = cleanFileName(written, 'name')
  const [format] = sheetFormats.filter((ending) => endingOf(name) === ending && name !== ending)
  return cleanFileName(format ? name.slice(0, -format.length - 1) : name, 'name')
}

async function gatherAll(
  executor: Executor,
  { title, intro, items }: SheetArguments,
  signal: AbortSignal,
): Promise<{ readonly sheet: Sheet } | { readonly problems: readonly ItemProblem[] }> {
  const sources: SheetSource[] = []
  const problems: ItemProblem[] = []
  for (const item of items) {
    signal.throwIfAborted()
    const found = await gatherSource(executor, item)
    if ('problem' in found) problems.push(found)
    else sources.push(found)
  }
  return problems.length > 0 ? { problems } : { sheet: { title, intro, sources } }
}

function lengthOf({ sources }: Sheet): number {
  const texts = sources.flatMap(({ rows }) => rows.map(({ texts }) => texts.he.length + texts.en.length))
  return texts.reduce((sum, length) => sum + length, 0)
}

/** The model's summary of a source, without its text. */
function summary(source: SheetSource, index: number) {
  const { ref, heRef, rows } = source
  return { n: index + 1, ref, he_ref: heRef, languages: languagesOf(source), passages: rows.length }
}

type NamedContent = { readonly name: string; readonly content: Buffer }

/** Writes all files or none. Every check comes before the first write. */
async function writeFiles(
  tx: Executor,
  { place, findLimits }: SheetPlace,
  files: readonly NamedContent[],
): Promise<CommittedChange> {
  await lockNames(
    tx,
    place.projectId,
    files.map(({ name }) => name),
  )
  for (const { name } of files) {
    if (await wasUploaded(tx, place, name)) return { error: `"${name}" was uploaded: choose another name.` }
  }
  const limits = await findLimits(tx)
  await lockStorage(tx, place.accountId)
  const sizes = files.map(({ content }) => content.length)
  for (const size of sizes) await requireRoom(tx, place.accountId, limits, size)
  const all = sizes.reduce((sum, size) => sum + size, 0)
  await requireRoom(tx, place.accountId, { ...limits, fileBytes: Number.POSITIVE_INFINITY }, all)
  const changes: FileChange[] = []
  for (const { name, content } of files) changes.push(await writeContent(tx, place, limits, name, content))
  return { files: changes }
}

async function wasUploaded(tx: Executor, place: FilePlace, name: string): Promise<boolean> {
  const known = await findByName(tx, place.projectId, name)
  const version = known && (await findVersion(tx, known))
  return version !== undefined && version.runId === null
}
