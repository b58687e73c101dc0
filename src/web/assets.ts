import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { openToAll } from './components/route-guards.ts'

const folder = join(import.meta.dirname, 'assets')
const ruhl = '@fontsource-variable/frank-ruhl-libre/files/frank-ruhl-libre'

/** The style sheets of every page, in their order. */
const commonSheets = ['base', 'layout', 'forms', 'lists', 'texts', 'frame', 'fades', 'dialogs']

/** Files of packages, by their path under the assets: fonts with nikud for texts and headings. */
const ofPackages: Readonly<Record<string, string>> = {
  'fonts/hebrew.woff2': `${ruhl}-hebrew-wght-normal.woff2`,
  'fonts/latin.woff2': `${ruhl}-latin-wght-normal.woff2`,
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}

type Asset = {
  readonly type: string
  readonly plain: Buffer
  /** Compressed once, at its first request. */
  small: Promise<Buffer> | undefined
}

type Assets = ReadonlyMap<string, Asset>
type ByName = { Params: { version: string; '*': string } }

/**
 * Serves styles, scripts and fonts of the pages under `/assets/{version}/`. The version is a digest of all of them, so
 * that caches can keep each file for good; files name each other by relative paths. During an update a page may ask
 * with the version of another replica: it gets the file, which no cache keeps.
 * @returns the path of the assets, and the text of the styles of a page: those of all pages, then its own.
 */
export async function registerAssets(
  app: FastifyInstance,
): Promise<{ readonly path: string; readonly stylesOf: (sheets: readonly string[]) => string }> {
  loaded ??= loadAssets()
  const assets = await loaded
  const version = digestOf(assets)
  app.get<ByName>('/assets/:version/*', openToAll, async (request, reply) => {
    const asset = assets.get(request.params['*'])
    if (!asset) return reply.callNotFound()
    if (request.params.version === version) reply.staticCache(31_536_000)
    else reply.preventCache()
    return sendAsset(request, reply, asset)
  })
  const path = `/assets/${version}`
  const made = new Map<string, string>()
  const stylesOf = (sheets: readonly string[]) => {
    const key = sheets.join()
    const styles = made.get(key) ?? joined(assets, path, [...commonSheets, ...sheets])
    made.set(key, styles)
    return styles
  }
  return { path, stylesOf }
}

/** Style sheets as one text, without comments and indentation, for a page at any path. */
function joined(assets: Assets, path: string, sheets: readonly string[]): string {
  const texts = sheets.map((name) => {
    const sheet = assets.get(`${name}.css`)
    if (!sheet) throw new Error(`there is no style sheet ${name}.css`)
    return sheet.plain.toString('utf8')
  })
  return texts
    .join('')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\n\s*/g, '\n')
    .replaceAll('url("', `url("${path}/`)
}

async function sendAsset(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
): Promise<FastifyReply> {
  const { type, plain } = asset
  reply.type(type)
  reply.vary('accept-encoding')
  const takesGzip = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
  if (!takesGzip || type === types['woff2']) return reply.send(plain)
  asset.small ??= promisify(gzip)(plain)
  return reply.header('content-encoding', 'gzip').send(await asset.small)
}

/** They are the same for every app of a process. */
let loaded: Promise<Assets> | undefined

/** All assets by their path. */
async function loadAssets(): Promise<Assets> {
  const own = (await readdir(folder)).toSorted().map((name) => [name, join(folder, name)] as const)
  const packaged = Object.entries(ofPackages).map(
    ([name, file]) => [name, fileURLToPath(import.meta.resolve(file))] as const,
  )
  const files = [...own, ...packaged].map(async ([name, path]) => {
    const plain = await readFile(path)
    const type = types[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream'
    return [name, { type, plain, small: undefined }] as const
  })
  return new Map<string, Asset>(await Promise.all(files))
}

function digestOf(assets: Assets): string {
  const hash = createHash('sha256')
  for (const [name, { plain }] of assets) hash.update(name).update(plain)
  return hash.digest('hex').slice(0, 12)
}
