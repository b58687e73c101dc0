import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../errors.ts'
import type { RouteDocs } from '../../http/openapi/docs.ts'

const docs: RouteDocs = {
  summary: 'This description, to read and to try',
  description: 'A page for browsers. It asks for a key only to send requests with it, and keeps it nowhere.',
  tag: 'Service',
  content: [{ type: 'text/html', schema: { type: 'string' } }],
  replyHeaders: {
    'content-security-policy':
      'Lets the page load and ask nothing but this host, and run its own two scripts.',
    'x-content-type-options': 'Always `nosniff`.',
  },
}

const require = createRequire(import.meta.url)

const types = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const

type Asset = { readonly file: string | URL; readonly type: keyof typeof types }

const page = new URL('page.html', import.meta.url)
const assets: Readonly<Record<string, Asset>> = {
  'page.css': { file: new URL('page.css', import.meta.url), type: 'css' },
  'page.js': { file: new URL('page.js', import.meta.url), type: 'js' },
  'swagger-ui.css': { file: require.resolve('swagger-ui-dist/swagger-ui.css'), type: 'css' },
  'swagger-ui-bundle.js': { file: require.resolve('swagger-ui-dist/swagger-ui-bundle.js'), type: 'js' },
}

/**
 * Allows nothing from other hosts, no inline scripts or styles, and only scripts with the nonce of this
 * reply. Files of accounts share this origin; an injected script could read the key that a reader typed.
 */
const policyWith = (scripts: string): string =>
  [
    "default-src 'none'",
    `script-src ${scripts}`,
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

/** `GET /docs`: the API description as a page; this host serves all its files. */
export function docsRoutes(app: FastifyInstance): void {
  let markup: Promise<string> | undefined
  const senders = new Map(Object.entries(assets).map(([name, asset]) => [name, sender(asset)]))
  app.get('/docs', { config: { scope: 'public', docs } }, async (_request, reply) => {
    const nonce = randomBytes(16).toString('base64url')
    markup ??= readFile(page, 'utf8')
    return reply
      .headers({ ...headersOf(`'nonce-${nonce}'`), 'content-type': 'text/html; charset=utf-8' })
      .header('cache-control', 'no-store')
      .send((await markup).replaceAll('<script ', `<script nonce="${nonce}" `))
  })
  app.get<{ Params: { file: string } }>('/docs/:file', { config: { scope: 'public' } }, (request, reply) => {
    const send = senders.get(request.params.file)
    if (!send) throw notFound()
    return send(request, reply)
  })
}

function headersOf(scripts: string) {
  return {
    'content-security-policy': policyWith(scripts),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}

/** Sends a file, which is read and compressed once, at its first request. */
function sender({ file, type }: Asset) {
  let content: Promise<{ readonly plain: Buffer; readonly small: Buffer }> | undefined
  return async ({ headers }: Pick<FastifyRequest, 'headers'>, reply: FastifyReply) => {
    content ??= load(file)
    const { plain, small } = await content
    const compressed = /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''))
    return reply
      .headers({
        ...headersOf("'none'"),
        'content-type': types[type],
        'cache-control': 'public, max-age=600',
        vary: 'accept-encoding',
        ...(compressed && { 'content-encoding': 'gzip' }),
      })
      .send(compressed ? small : plain)
  }
}

async function load(file: string | URL) {
  const plain = await readFile(file)
  return { plain, small: await promisify(gzip)(plain) }
}
