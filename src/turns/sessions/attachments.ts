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

/** A file contained in a request, and the id that it will get. */
export type InlineFile = {
  readonly id: string
  readonly name: string
  readonly contentType: string
  readonly content: Buffer
}

/** The files of a request. Its messages refer to them by id. */
export type Attachments = {
  /** Ids of stored files. */
  readonly ids: ReadonlySet<string>
  readonly inline: ReadonlyMap<string, InlineFile>
  readonly readsImages: boolean
  /** Name of the request field, for error messages. */
  readonly param: string
  /** The part of the request that has the file with this id, for error messages. */
  readonly paramOf?: (id: string) => string
}

/** Larger images are refused, because each model call of the turn would carry them. */
export const maxImageBytes = 8 * 1024 * 1024

/**
 * Checks the files in a turn's messages and stores those that the request contains, in the transaction of the
 * start. A duplicate or refused request therefore stores nothing. If the project already has a file of the same
 * name and content, that file is used, because clients resend their history.
 * @returns the messages with the ids of stored files.
 * @throws ServiceError `not_found` for a file that the principal cannot see, `invalid_value` for a file of
 *   another project or of an unsupported kind, `file_too_large`.
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

/** Ids of the files in a message. */
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
  const param = paramOf(attachments, id)
  if (!file) throw notFound(param)
  if (file.projectId !== place.projectId) {
    throw invalid(`The file "${id}" belongs to another project than the turn.`, param)
  }
  const version = await findVersion(executor, file)
  const head = version ? await readHead(executor, version.id, headBytes) : Buffer.alloc(0)
  requireReadable(head, file, { ...attachments, param })
}

async function storeOnce(
  executor: Executor,
  place: FilePlace,
  file: InlineFile,
  attachments: Attachments,
  plan: Plan,
): Promise<string> {
  const { name, contentType, content } = file
  const named = { ...attachments, param: paramOf(attachments, file.id) }
  requireReadable(content.subarray(0, headBytes), { name, contentType, bytes: content.length }, named)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const [known] = await executor
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.projectId, place.projectId), eq(files.name, name), eq(files.sha256, sha256)))
    .limit(1)
  return known?.id ?? (await storeUpload(executor, place, plan, file)).id
}

function paramOf(attachments: Attachments, id: string): string {
  return attachments.paramOf?.(id) ?? attachments.param
}

function requireReadable(
  head: Buffer,
  file: { readonly name: string; readonly contentType: string; readonly bytes: number },
  { readsImages, param }: Pick<Attachments, 'readsImages' | 'param'>,
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
