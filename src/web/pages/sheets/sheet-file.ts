import type { FastifyReply } from 'fastify'
import { createWorkLimit } from '../../../http/limits/work-limits.ts'
import { attachmentHeaders } from '../../../http/transfers/download.ts'
import { type FileReader, type ReadEntry, sheetForFiles } from '../../../sheets/content.ts'
import type { StoredSheet } from '../../../sheets/store.ts'
import { cleanFileName, contentTypeOf } from '../../../workspace/documents/file-names.ts'
import { fileNotMade, RenderingFailed, renderSheet } from '../../../workspace/sheets/render.ts'
import type { SheetFormat } from '../../../workspace/sheets/sheet.ts'

type Asked = {
  readonly sheet: StoredSheet
  readonly entries: readonly ReadEntry[]
  readonly format: SheetFormat
  readonly reader: FileReader
  /** Whose files are made one after the other. */
  readonly maker: string
  readonly signal: AbortSignal
}

/** Sends sheets as files, within the limit of files that are made at once. */
export function createSheetFiles(): (reply: FastifyReply, asked: Asked) => Promise<FastifyReply> {
  // A file uses a processor for seconds.
  const files = createWorkLimit({
    what: 'files',
    maxRunning: 1,
    maxWaiting: 4,
    retryAfterSeconds: 5,
  })
  return async (reply, { sheet, entries, format, reader, maker, signal }) => {
    const made = sheetForFiles(sheet, entries, reader)
    try {
      const [file] = await files.run(maker, signal, () => renderSheet(made, [format], signal))
      const name = cleanFileName(`${sheet.title.replace(/[/\\]/g, '-').slice(0, 180)}.${format}`)
      attachmentHeaders(reply, name, contentTypeOf(name))
      return reply.send(file?.content)
    } catch (error) {
      throw error instanceof RenderingFailed ? fileNotMade(error) : error
    }
  }
}
