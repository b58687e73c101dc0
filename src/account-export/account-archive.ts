import { type PassThrough, Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { and, asc, eq, sql } from 'drizzle-orm'
import { ZipFile } from 'yazl'
import { type Actor, recordAction } from '../accounts/audit.ts'
import { type Database, withTx } from '../db/client.ts'
import { files, fileVersions } from '../db/schema/index.ts'
import { messageOf } from '../errors.ts'
import { type FileStores, readStream } from '../workspace/content.ts'
import { exportedRows } from './exported-rows.ts'
import { exportedTables, nameOf } from './exported-tables.ts'

/**
 * Makes a ZIP of all that the service stores of an account, but for secrets: for each table `TABLE.json`, an array of its
 * rows, and the content of each version of a file as `files/FILE/VERSION/NAME`. It is made while it is read, page by page,
 * whatever its size.
 * @returns the bytes. Destroying the stream ends the work. It fails if a file is deleted meanwhile.
 */
export async function exportAccount(
  stores: FileStores,
  { actor, accountId }: { readonly actor: Actor; readonly accountId: string },
): Promise<Readable> {
  await withTx(stores.database, 'system', (tx) =>
    recordAction(tx, { actor, action: 'account.exported', accountId }),
  )
  const zip = new ZipFile()
  const out = zip.outputStream as PassThrough
  const fail = (error: unknown) =>
    void out.destroy(error instanceof Error ? error : new Error(messageOf(error)))
  zip.on('error', fail)
  fill(zip, stores, accountId, out).catch(fail)
  return out
}

async function fill(zip: ZipFile, stores: FileStores, accountId: string, out: Readable): Promise<void> {
  const left = new AbortController()
  out.once('close', () => left.abort())
  const add = async (name: string, content: AsyncIterable<string | Buffer>, compress: boolean) => {
    left.signal.throwIfAborted()
    const source = Readable.from(content, { objectMode: false })
    zip.addReadStream(source, name, { compress, mtime: new Date() })
    // The next entry is added when this one has been read: nothing waits in memory.
    await finished(source, { signal: left.signal }).finally(() => source.destroy())
  }
  for (const listed of exportedTables)
    await add(
      `${nameOf(listed.table)}.json`,
      jsonArray(exportedRows(stores.database, accountId, listed)),
      true,
    )
  for await (const version of versions(stores.database, accountId)) {
    const name = `files/${version.fileId}/${version.version}/${safeName(version.name)}`
    await add(name, readStream(stores, version, { start: 0, end: version.bytes }), false)
  }
  zip.end()
}

async function* jsonArray(pages: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  let before = '[\n'
  for await (const lines of pages) {
    yield before + lines.join(',\n')
    before = ',\n'
  }
  yield before === '[\n' ? '[]\n' : '\n]\n'
}

const pageVersions = 200

/** The versions of the account's files, with the names of the files. */
async function* versions(database: Database, accountId: string) {
  let last = { bytes: -1, id: '' }
  for (;;) {
    const after = sql`(${fileVersions.bytes}, ${fileVersions.id}) > (${last.bytes}, ${last.id})`
    const page = await withTx(database, { accountId }, (tx) =>
      tx
        .select({
          id: fileVersions.id,
          accountId: fileVersions.accountId,
          fileId: fileVersions.fileId,
          version: fileVersions.version,
          bytes: fileVersions.bytes,
          location: fileVersions.location,
          name: files.name,
        })
        .from(fileVersions)
        .innerJoin(files, eq(files.id, fileVersions.fileId))
        .where(and(eq(fileVersions.accountId, accountId), eq(fileVersions.state, 'sealed'), after))
        .orderBy(asc(fileVersions.bytes), asc(fileVersions.id))
        .limit(pageVersions),
    )
    yield* page
    const end = page.at(-1)
    if (!end) return
    last = end
  }
}

/** A name that no program takes for a path. */
function safeName(name: string): string {
  const safe = name.replaceAll(/[\p{Cc}/\\:*?"<>|]/gu, '_').replace(/^\.+$/, '_')
  return safe.toWellFormed() || '_'
}
