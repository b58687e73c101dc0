import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { LRUCache } from 'lru-cache'
import { createWorkLimit } from '../../../http/limits/work-limits.ts'
import { attachmentHeaders } from '../../../http/transfers/download.ts'
import { type FileReader, type ReadEntry, sheetForFiles } from '../../../sheets/content.ts'
import type { StoredSheet } from '../../../sheets/store.ts'
import { cleanFileName, contentTypeOf } from '../../../workspace/documents/file-names.ts'
import { fileNotMade, RenderingFailed, renderSheet } from '../../../workspace/sheets/render.ts'
import type { Sheet, SheetFormat } from '../../../workspace/sheets/sheet.ts'

type Asked = {
  readonly sheet: StoredSheet
  readonly entries: readonly ReadEntry[]
  readonly format: SheetFormat
  readonly reader: FileReader
  /** The account that makes the file. Undefined for a reader of a public sheet. */
  readonly maker: string | undefined
  readonly signal: AbortSignal
}

/** Memory for files of public sheets, in bytes. */
const maxKeptBytes = 64 * 1024 * 1024

/** Sends sheets as files, within the limit of files that are made at once. */
export function createSheetFiles(): (reply: FastifyReply, asked: Asked) => Promise<FastifyReply> {
  // A file uses a processor for seconds.
  const files = createWorkLimit({
    what: 'files',
    maxRunning: 1,
    maxWaiting: 4,
    retryAfterSeconds: 5,
  })
  // By all that a file shows, so that readers of one public sheet cost its making once.
  const kept = new LRUCache<string, Buffer>({
    maxSize: maxKeptBytes,
    sizeCalculation: (file) => file.length + 1,
  })

  async function publicFile(
    made: Sheet,
    format: SheetFormat,
    signal: AbortSignal,
  ): Promise<Buffer | undefined> {
    const shown = createHash('sha256')
      .update(JSON.stringify([format, made]))
      .digest('hex')
    const known = kept.get(shown)
    if (known) return known
    const [file] = await renderSheet(made, [format], signal, 'public')
    if (file) kept.set(shown, file.content)
    return file?.content
  }

  return async (reply, { sheet, entries, format, reader, maker, signal }) => {
    const made = sheetForFiles(sheet, entries, reader)
    try {
      // All readers of an account's public sheets share its place: they must not keep others from their files.
      const content = await files.run(maker ?? `public ${sheet.accountId}`, signal, async () =>
        maker === undefined
          ? publicFile(made, format, signal)
          : (await renderSheet(made, [format], signal, maker))[0]?.content,
      )
      const name = cleanFileName(`${sheet.title.replace(/[/\\]/g, '-').slice(0, 180)}.${format}`)
      attachmentHeaders(reply, name, contentTypeOf(name))
      return reply.send(content)
    } catch (error) {
      throw error instanceof RenderingFailed ? fileNotMade(error) : error
    }
  }
}
