import type { ContentPart, ModelMessage, ToolCall } from '../../agent/provider.ts'
import { type Executor, withTx } from '../../db/client.ts'
import { type FileStores, readBuffer, readHead, readWhole } from '../../workspace/content.ts'
import { type FileVersion, findByIdOrName, findVersion } from '../../workspace/files.ts'
import { imageTypeOf } from '../../workspace/images.ts'
import type { Run } from '../run/run.ts'
import { fileIdsOf, mapParts, maxImageBytes } from '../sessions/attachments.ts'

/** Maximum bytes of images in one model call. Older images are dropped first. */
const maxImagesBytes = 24 * 1024 * 1024

/**
 * Prepares the conversation's files for the model. Images become image parts if the model can read them. Other
 * files that this turn attached become initial `read_file` calls, so they are read, cited and stored as if the
 * model had called the tool.
 * @throws ServiceError `file_store_unavailable` when an image cannot be read.
 */
export async function presentFiles(
  stores: FileStores,
  run: Run,
  messages: readonly ModelMessage[],
  readsImages: boolean,
): Promise<{
  readonly messages: readonly ModelMessage[]
  readonly firstCalls: readonly Omit<ToolCall, 'id'>[]
}> {
  const ids = [...new Set(messages.flatMap(fileIdsOf))]
  if (ids.length === 0) return { messages, firstCalls: [] }
  const images = await readImages(stores, run, ids, readsImages)
  const shown = (part: ContentPart): ContentPart => {
    const url = part.type === 'file' ? images.get(part.fileId) : undefined
    return url ? { type: 'image_url', url } : part
  }
  const added = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1)
  const documents = new Set(added.flatMap(fileIdsOf).filter((id) => !images.has(id)))
  return {
    messages: messages.map((message) => mapParts(message, shown)),
    firstCalls: [...documents].map((id) => ({ name: 'read_file', arguments: JSON.stringify({ name: id }) })),
  }
}

/** Reads those files that are images, as data URLs by file id. The newest images that fit are kept. */
async function readImages(
  stores: FileStores,
  run: Run,
  ids: readonly string[],
  readsImages: boolean,
): Promise<ReadonlyMap<string, string>> {
  const images = new Map<string, string>()
  let left = readsImages ? maxImagesBytes : 0
  for (const id of ids.toReversed()) {
    if (left <= 0) break
    const image = await withTx(stores.database, run, (tx) => findImage(stores, tx, run.projectId, id, left))
    if (!image) continue
    const { version, type } = image
    const content = image.content ?? (await readWhole(stores, version))
    left -= version.bytes
    images.set(id, `data:${type};base64,${content.toString('base64')}`)
  }
  return images
}

type Image = {
  readonly version: FileVersion
  readonly type: string
  /** Undefined: Postgres does not have it. */
  readonly content: Buffer | undefined
}

async function findImage(
  stores: FileStores,
  tx: Executor,
  projectId: string,
  id: string,
  maxBytes: number,
): Promise<Image | undefined> {
  const file = await findByIdOrName(tx, projectId, id)
  const version = file && (await findVersion(tx, file))
  const bytes = version?.bytes ?? 0
  if (!version || bytes > Math.min(maxBytes, maxImageBytes)) return undefined
  const type = imageTypeOf(await readHead(tx, version.id, 12))
  if (!type) return undefined
  const content = version.location === null ? await readBuffer(stores, tx, version) : undefined
  return { version, type, content }
}
