import { z } from 'zod'
import { describedTool } from '../../agent/prompts/described-tool.ts'
import type { CommittedChange, Tool } from '../../agent/tools.ts'
import type { Executor } from '../../db/client.ts'
import { invalidValue, ServiceError } from '../../errors.ts'
import type { FileStores } from '../content.ts'
import { cleanFileName, endingOf } from '../documents/file-names.ts'
import { type FilePlace, findByName } from '../files.ts'
import type { StorageLimits } from '../quota.ts'
import { editableText } from '../texts.ts'
import { lockNames, renameFile, writeContent } from '../writing.ts'

const maxTextLength = 1_000_000

/** Reads the storage limits of the account when the step is written. */
export type FindLimits = (executor: Executor) => Promise<StorageLimits>

type WritingPlace = FileStores & { readonly place: FilePlace; readonly findLimits: FindLimits }

/**
 * The tools that change files. They write nothing themselves; their results contain the writes, which the step
 * performs.
 */
export function writingTools(workspace: WritingPlace): readonly Tool<Executor>[] {
  return [writeTool(workspace), editTool(workspace), renameTool(workspace)]
}

const fileName = z.string().max(1_000).describe('With an ending, such as sheet.md.')
const writeArguments = z.object({ name: fileName, content: z.string().max(maxTextLength) })

function writeTool(workspace: WritingPlace): Tool<Executor> {
  return describedTool(
    'write_file',
    writeArguments,
    (args) => `Writing the file ${String(args['name'] ?? '')}`,
    async (args) => {
      const name = textFileName(args.name, 'name')
      return {
        content: JSON.stringify({ written: name, bytes: Buffer.byteLength(args.content) }),
        commit: (tx) => refusable(() => write(tx, workspace, name, args.content)),
      }
    },
  )
}

async function write(
  tx: Executor,
  workspace: WritingPlace,
  name: string,
  content: string,
): Promise<CommittedChange> {
  const { place, findLimits } = workspace
  await lockNames(tx, place.projectId, [name])
  const known = await findByName(tx, place.projectId, name)
  if (known && (await editableText(workspace, tx, known)) === undefined) {
    return { error: `"${name}" is no text file: choose another name.` }
  }
  return { files: [await writeContent(tx, place, await findLimits(tx), name, Buffer.from(content))] }
}

const editArguments = z.object({
  name: z.string().max(1_000),
  old: z.string().min(1),
  new: z.string().max(maxTextLength),
})

function editTool(workspace: WritingPlace): Tool<Executor> {
  return describedTool(
    'edit_file',
    editArguments,
    (args) => `Editing the file ${String(args['name'] ?? '')}`,
    async (args) => {
      const name = cleanFileName(args.name, 'name')
      return {
        content: JSON.stringify({ edited: name }),
        commit: (tx) => refusable(() => replaceOnce(tx, workspace, { ...args, name })),
      }
    },
  )
}

async function replaceOnce(
  tx: Executor,
  workspace: WritingPlace,
  args: z.infer<typeof editArguments>,
): Promise<CommittedChange> {
  const { place, findLimits } = workspace
  await lockNames(tx, place.projectId, [args.name])
  const file = await findByName(tx, place.projectId, args.name)
  const text = file && (await editableText(workspace, tx, file))
  if (text === undefined) {
    return { error: `There is no text file "${args.name}" that can be edited. list_files shows the names.` }
  }
  const parts = text.split(args.old)
  if (parts.length !== 2) {
    return {
      error: `\`old\` stands ${parts.length - 1} times in "${args.name}"; it must stand there exactly once.`,
    }
  }
  const edited = parts.join(args.new)
  if (edited.length > maxTextLength) return { error: `"${args.name}" would become too large.` }
  const limits = await findLimits(tx)
  return { files: [await writeContent(tx, place, limits, args.name, Buffer.from(edited))] }
}

const renameArguments = z.object({ name: z.string().max(1_000), new_name: fileName })

function renameTool({ place }: WritingPlace): Tool<Executor> {
  return describedTool(
    'rename_file',
    renameArguments,
    (args) => `Renaming the file ${String(args['name'] ?? '')}`,
    async (args) => {
      const name = cleanFileName(args.name, 'name')
      const newName = cleanFileName(args.new_name, 'new_name')
      return {
        content: JSON.stringify({ renamed: name, name: newName }),
        commit: (tx) =>
          refusable(async () => ({ files: [await renameFile(tx, place.projectId, name, newName)] })),
      }
    },
  )
}

/** Endings of binary formats. A text with such a name would look like a broken file. */
const binaryEndings = new Set(
  'pdf doc docx odt rtf xls xlsx ods ppt pptx odp epub zip gz tar png jpg jpeg gif webp mp3 mp4'.split(' '),
)

/** @throws ServiceError `invalid_value` for a name that a text file cannot have. */
function textFileName(written: string, param: string): string {
  const name = cleanFileName(written, param)
  if (!binaryEndings.has(endingOf(name))) return name
  throw invalidValue(`The name has no ending of a text. Use one such as .md or .html.`, param)
}

/** Turns a refusal that the model can correct, such as a full quota, into a result. Other errors fail the step. */
export async function refusable(change: () => Promise<CommittedChange>): Promise<CommittedChange> {
  try {
    return await change()
  } catch (error) {
    if (error instanceof ServiceError) return { error: error.message }
    throw error
  }
}
