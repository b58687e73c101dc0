import { createReadStream } from 'node:fs'
import { open, readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { createInterface } from 'node:readline'
import { ServiceError } from '../../../errors.ts'
import { type Head, headBytes } from './download.ts'
import { type ExportEntry, type ExportSource, isLinksFile, schemaPath } from './export-source.ts'

const notVersions = new Set(['books.json', 'table_of_contents.json', 'package.json'])

/**
 * Opens an export in a folder: a complete export with `json/` and `schemas/`, or any folder with version files. In a
 * complete export the path names the work; elsewhere each file is read for its title.
 * @throws ServiceError `invalid_value` when the folder cannot be read.
 */
export async function openFolder(path: string): Promise<ExportSource> {
  const files = await readdir(path, { recursive: true }).catch(() => {
    throw new ServiceError('invalid_value', `The folder ${path} cannot be read.`)
  })
  const names = files.map((file) => file.split(sep).join('/')).sort()
  const texts = names.filter(
    (name) => name.endsWith('.json') && !/(^|\/)schemas\//.test(name) && !notVersions.has(basename(name)),
  )
  const versions = texts.filter((name) => basename(name) !== 'merged.json')
  const entries: ExportEntry[] = []
  // Sequential, because outside a complete export each file is read for its title.
  for (const name of versions) entries.push(await entryOf(path, name))
  const schemas = new Map(
    names.filter((name) => /(^|\/)schemas\//.test(name)).map((name) => [basename(name), name]),
  )
  return {
    entries,
    merged: texts.length - versions.length,
    read: async (entry) => ({ body: await readFile(entry.location), etag: undefined }),
    head: (entry) => headOfFile(entry.location),
    schema: async (title) => {
      const name = schemas.get(basename(schemaPath(title)))
      return name === undefined ? undefined : readFile(join(path, name), 'utf8')
    },
    links: () =>
      names.filter(isLinksFile).map(
        (name) => async () =>
          createInterface({
            input: createReadStream(join(path, name), 'utf8'),
            crlfDelay: Number.POSITIVE_INFINITY,
          }),
      ),
  }
}

/**
 * Parses `json/<categories>/<title>/<Hebrew
 * English>/<version>.json`. Other paths do not name the work.
 */
async function entryOf(root: string, name: string): Promise<ExportEntry> {
  const location = join(root, name)
  const parts = name.split('/')
  const bucket = parts.at(-2)
  if (bucket === 'Hebrew' || bucket === 'English') {
    // The given folder may be that of a work or of a category.
    const above = parts.length > 2 ? parts.slice(0, -2) : [basename(dirname(dirname(location)))]
    const title = above.at(-1) ?? ''
    const start = above.indexOf('json') + 1
    const categories = above.slice(start, -1)
    return { id: `${title}/${bucket}/${basename(name)}`, title, categories, name, location }
  }
  const header = await titleIn(location)
  return { id: relative(root, location), title: header.title, categories: header.categories, name, location }
}

async function titleIn(
  location: string,
): Promise<{ readonly title: string; readonly categories: readonly string[] }> {
  try {
    const value: unknown = JSON.parse(await readFile(location, 'utf8'))
    const { title, categories } = value as { title?: unknown; categories?: unknown }
    return {
      title: typeof title === 'string' ? title : '',
      categories: Array.isArray(categories) ? categories.map(String) : [],
    }
  } catch {
    // The error is reported when the file is imported.
    return { title: '', categories: [] }
  }
}

/** Reads the beginning of a file of a folder. */
async function headOfFile(path: string): Promise<Head> {
  await using file = await open(path)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0)
  return { bytes: (await file.stat()).size, text: buffer.subarray(0, bytesRead).toString('utf8') }
}
