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

/** The style sheets of every page, in their order; a page's address has them as `page`. */
const commonSheets = ['base', 'forms', 'lists', 'texts', 'frame', 'dialogs']

/** Files of packages, by their path under the assets: fonts with nikud for texts and headings, and Swagger UI. */
const ofPackages: Readonly<Record<string, string>> = {
  'fonts/hebrew.woff2': `${ruhl}-hebrew-wght-normal.woff2`,
  'fonts/latin.woff2': `${ruhl}-latin-wght-normal.woff2`,
  'packaged/swagger-ui.css': 'swagger-ui-dist/swagger-ui.css',
  'packaged/swagger-ui-bundle.js': 'swagger-ui-dist/swagger-ui-bundle.js',
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
 * @returns the path of the assets.
 */
export async function registerAssets(app: FastifyInstance): Promise<string> {
  loaded ??= loadAssets()
  const assets = await loaded
  const version = digestOf(assets)
  app.get<ByName>('/assets/:version/*', openToAll, async (request, reply) => {
    const name = request.params['*']
    const asset = assets.get(name) ?? combined(assets, name)
    if (!asset) return reply.callNotFound()
    const isCurrent = request.params.version === version
    reply.header('cache-control', isCurrent ? 'public, max-age=31536000, immutable' : 'no-store')
    return sendAsset(request, reply, asset)
  })
  return `/assets/${version}`
}

/** Sets of style sheets that pages have asked for. A stranger can ask for any number of sets, so few are kept. */
const sets = new Map<string, Asset>()
const maxSets = 64

/**
 * The style sheets of a page in one file, because the page is blank until the last of them has come: `page+rail.css`.
 * @returns undefined when one of them does not exist.
 */
function combined(assets: Assets, name: string): Asset | undefined {
  const known = sets.get(name)
  if (known) return known
  const parts = name.endsWith('.css') ? name.slice(0, -'.css'.length).split('+') : []
  const found = parts.flatMap((part) => assets.get(`${part}.css`)?.plain ?? [])
  if (found.length < 2 || found.length < parts.length || new Set(parts).size < parts.length) return undefined
  const asset = { type: types['css'] ?? '', plain: Buffer.concat(found), small: undefined }
  if (sets.size < maxSets) sets.set(name, asset)
  return asset
}

async function sendAsset(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  asset: Asset,
): Promise<FastifyReply> {
  const { type, plain } = asset
  reply.type(type).header('vary', 'accept-encoding')
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
  const all = new Map<string, Asset>(await Promise.all(files))
  const common = commonSheets.map((name) => all.get(`${name}.css`)?.plain ?? Buffer.alloc(0))
  const page = { type: 'text/css; charset=utf-8', plain: Buffer.concat(common), small: undefined }
  return all.set('page.css', page)
}

function digestOf(assets: Assets): string {
  const hash = createHash('sha256')
  for (const [name, { plain }] of assets) hash.update(name).update(plain)
  return hash.digest('hex').slice(0, 12)
}
