import { LRUCache } from 'lru-cache'
import { within } from '../waiting/waiting.ts'
import { createFairLimit } from './children/fair-limit.ts'
import { type OcrCommand, OcrFailed, type OcrLimits, ocrLimits, recognise } from './documents/ocr.ts'
import type { DocumentText } from './documents/read.ts'

export type Recognition = ReturnType<typeof openRecognition>

export type Scan = {
  readonly id: string
  readonly accountId: string
  /** Its text, if it was recognised since its reader looked for it. */
  readonly recognised: () => Promise<DocumentText | undefined>
  readonly content: () => AsyncIterable<Uint8Array>
}

type StoreText = (pdf: Buffer, signal: AbortSignal) => Promise<DocumentText>

type Log = { warn(about: object, message: string): void }

const failed = 'It has no text layer, and the recognition of its characters (OCR) failed.'
const underWay = 'Its characters are being recognised (OCR). Read it again in a few minutes.'

const maxWaitMs = 60_000
/** Scans that failed are not tried again before the next start. */
const maxFailures = 10_000

/** Recognises the text of scanned documents (OCR) with the operator's command. */
export function openRecognition(
  command: OcrCommand,
  log: Log,
  { waitMs = maxWaitMs, ...given }: Partial<OcrLimits> & { readonly waitMs?: number } = {},
) {
  const limits = { ...ocrLimits, ...given }
  // The command may use all processors.
  const slots = createFairLimit(2)
  const running = new Map<string, Promise<DocumentText>>()
  const failures = new LRUCache<string, true>({ max: maxFailures })
  const closing = new AbortController()

  async function work(scan: Scan, store: StoreText): Promise<DocumentText> {
    const { id, accountId, content } = scan
    const { signal } = closing
    try {
      const known = await scan.recognised()
      if (known) return known
      const pdf = await slots.run(accountId, signal, () => recognise(command, content(), signal, limits))
      const read = await store(pdf, signal)
      if (read.text !== '') return read
      throw new OcrFailed('its document has no text')
    } catch (error) {
      if (signal.aborted) return { text: '', problem: underWay }
      if (!(error instanceof OcrFailed)) throw error
      log.warn({ version: id, reason: error.message }, 'OCR_COMMAND failed')
      failures.set(id, true)
      return { text: '', problem: failed }
    } finally {
      running.delete(id)
    }
  }

  return {
    /**
     * The text of a scan. It is recognised once, however many ask, and also when they leave, so that the next reader finds
     * it. After a minute a reader gets a note instead.
     * @param scan.id of the version of the file.
     * @param store stores the text of the document that the command made.
     * @throws the reason of `signal` when it is aborted.
     */
    async textOf(scan: Scan, signal: AbortSignal, store: StoreText): Promise<DocumentText> {
      if (failures.has(scan.id)) return { text: '', problem: failed }
      const job = running.get(scan.id) ?? work(scan, store)
      running.set(scan.id, job)
      // Its readers may all have left.
      job.catch(() => undefined)
      const left = Promise.withResolvers<never>()
      const onAbort = (): void => left.reject(signal.reason)
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        signal.throwIfAborted()
        return (await within(Promise.race([job, left.promise]), waitMs)) ?? { text: '', problem: underWay }
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
    /** Ends the commands that still run, and waits for them. */
    async close(): Promise<void> {
      closing.abort(new Error('the service stops'))
      await Promise.allSettled(running.values())
    },
  }
}
