import { type Entry, fromBufferPromise, type ZipFile } from 'yauzl'
import { Unreadable } from './markup.ts'

/** Maximum number of entries. A Word document has some tens. */
const maxEntries = 10_000

/** Maximum unpacked bytes of one entry. */
const maxBytes = 100 * 1024 * 1024

export type Archive = {
  readonly names: readonly string[]
  /** Reads an entry as a stream of buffers, in any case of its name. It is empty when there is no such entry. */
  read(name: string): AsyncGenerator<Buffer>
}

/**
 * Opens a ZIP archive. It unpacks only requested entries, and none beyond its declared size or `maxBytes`.
 * @throws Unreadable when it is damaged or has too many entries.
 */
export async function openArchive(content: Buffer): Promise<Archive> {
  const zip = await readable(fromBufferPromise(content, { autoClose: false }))
  if (zip.entryCount > maxEntries) throw new Unreadable(`Its archive has ${zip.entryCount} entries.`)
  const entries = new Map<string, Entry>()
  await readable(
    (async () => {
      for await (const entry of zip.eachEntry()) entries.set(entry.fileName.toLowerCase(), entry)
    })(),
  )
  return {
    names: [...entries.values()].map(({ fileName }) => fileName),
    async *read(name) {
      const entry = entries.get(name.toLowerCase())
      if (entry) yield* unpack(zip, entry)
    },
  }
}

async function* unpack(zip: ZipFile, entry: Entry): AsyncGenerator<Buffer> {
  if (entry.uncompressedSize > maxBytes) {
    throw new Unreadable('It unpacks to more than a document of its kind ever needs.')
  }
  const stream = await readable(zip.openReadStreamPromise(entry))
  try {
    // The library fails the stream if an entry is larger than it declares.
    for await (const piece of stream) yield piece as Buffer
  } catch (error) {
    if (error instanceof Unreadable) throw error
    throw new Unreadable('Its archive is damaged.')
  } finally {
    stream.destroy()
  }
}

async function readable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch {
    throw new Unreadable('Its archive is damaged.')
  }
}
