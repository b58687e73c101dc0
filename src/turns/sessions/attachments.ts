import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Plan } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import type { ContentPart, ModelMessage } from '../../agent/provider.ts'
import type { Executor } from '../../db/client.ts'
import { files } from '../../db/schema/index.ts'
import { notFound, ServiceError } from '../../errors.ts'
import { readHead } from '../../workspace/content.ts'
import { headBytes, kindOf } from '../../workspace/documents/kinds.ts'
import { type FilePlace, findVersion } from '../../workspace/files.ts'
import { imageTypeOf } from '../../workspace/images.ts'
import { storeUpload } from '../../workspace/uploads.ts'
import { findFile } from './project-files.ts'

/** A file that a request carries in itself, under the id that it will have. */
export type InlineFile = {
  readonly id: string
  readonly name: string
  readonly contentType: string
  readonly content: Buffer
}

/** The files that a request brings along, beside the parts of its messages that stand for them. */
export type Attachments = {
  /** Of files that there are. */
  readonly ids: ReadonlySet<string>
  readonly inline: ReadonlyMap<string, InlineFile>
  readonly readsImages: boolean
  /** The field of the request that refusals name. */
  readonly param: string
}

/** Larger images are not passed on: each model call of the turn would carry them. */
export const maxImageBytes = 8 * 1024 * 1024

/**
 * Checks the files of the messages that a turn adds, and stores those that came with the request, in the transaction
 * that starts it: a request that is repeated or refused stores nothing. One that the project has already, of the same name and
 * content, is taken instead: clients send their history again.
 * @returns the messages with the ids of stored files.
 * @throws ServiceError `not_found` for a file that the principal cannot see, `invalid_value` for one of another project or
 *   of a kind that cannot be read, `file_too_large`.
 */
export async function attachFiles(
  executor: Executor,
  principal: Principal,
  place: FilePlace,
  messages: readonly ModelMessage[],
  attachments: Attachments,
  plan: Plan,
): Promise<readonly ModelMessage[]> {
  const stored = new Map<string, string>()
  for (const id of new Set(messages.flatMap(fileIdsOf))) {
    const inline = attachments.inline.get(id)
    if (inline) stored.set(id, await storeOnce(executor, place, inline, attachments, plan))
    else if (attachments.ids.has(id)) await requireFile(executor, principal, place, id, attachments)
  }
  const renamed = (part: ContentPart): ContentPart =>
    part.type === 'file' ? { ...part, fileId: stored.get(part.fileId) ?? part.fileId } : part
  return stored.size === 0 ? messages : messages.map((message) => mapParts(message, renamed))
}

/** The ids of the files that a message brings along. */
export function fileIdsOf(message: ModelMessage): readonly string[] {
  if (message.role !== 'user' || typeof message.content === 'string') return []
  return message.content.flatMap((part) => (part.type === 'file' ? [part.fileId] : []))
}

export function mapParts(message: ModelMessage, change: (part: ContentPart) => ContentPart): ModelMessage {
  if (message.role !== 'user' || typeof message.content === 'string') return message
  return { ...message, content: message.content.map(change) }
}

async function requireFile(
  executor: Executor,
  principal: Principal,
  place: FilePlace,
  id: string,
  attachments: Attachments,
): Promise<void> {
  const file = await findFile(executor, principal, id)
  if (!file) throw notFound()
  if (file.projectId !== place.projectId) {
    throw invalid(`The file "${id}" belongs to another project than the turn.`, attachments.param)
  }
  const version = await findVersion(executor, file)
  const head = version ? await readHead(executor, version.id, headBytes) : Buffer.alloc(0)
  requireReadable(head, file, attachments)
}

async function storeOnce(
  executor: Executor,
  place: FilePlace,
  file: InlineFile,
  attachments: Attachments,
  plan: Plan,
): Promise<string> {
  const { name, contentType, content } = file
  requireReadable(content.subarray(0, headBytes), { name, contentType, bytes: content.length }, attachments)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const [known] = await executor
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.projectId, place.projectId), eq(files.name, name), eq(files.sha256, sha256)))
    .limit(1)
  return known?.id ?? (await storeUpload(executor, place, plan, file)).id
}

function requireReadable(
  head: Buffer,
  file: { readonly name: string; readonly contentType: string; readonly bytes: number },
  { readsImages, param }: Attachments,
): void {
  if (imageTypeOf(head)) {
    if (!readsImages) throw invalid('The model cannot read images. Describe the image in words.', param)
    if (file.bytes > maxImageBytes) throw invalid(`Images may have at most ${maxImageBytes} bytes.`, param)
    return
  }
  const kind = kindOf(head, file)
  if (typeof kind !== 'string')
    throw invalid(`The file "${file.name}" cannot be read. ${kind.problem}`, param)
}

function invalid(message: string, param: string): ServiceError {
  return new ServiceError('invalid_value', message, { param })
}
