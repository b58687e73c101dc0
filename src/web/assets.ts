import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fastifyStatic from '@fastify/static'
import type { FastifyInstance } from 'fastify'
import { openToAll } from './components/route-guards.ts'

const folder = join(import.meta.dirname, 'assets')

/** Fonts with nikud for texts; the interface uses the system's fonts. */
const fonts: Readonly<Record<string, string>> = {
  'hebrew.woff2': '@fontsource-variable/frank-ruhl-libre/files/frank-ruhl-libre-hebrew-wght-normal.woff2',
  'latin.woff2': '@fontsource-variable/frank-ruhl-libre/files/frank-ruhl-libre-latin-wght-normal.woff2',
}

/**
 * Serves styles, scripts and fonts of the pages under `/assets/`. They change with a release, so caches keep
 * them for an hour and then revalidate.
 */
export async function registerAssets(app: FastifyInstance): Promise<void> {
  await app.register(fastifyStatic, {
    root: folder,
    prefix: '/assets/',
    serve: false,
    maxAge: '1h',
  })
  app.get<{ Params: { name: string } }>('/assets/:name', openToAll, (request, reply) =>
    reply.sendFile(request.params.name),
  )
  app.get<{ Params: { name: string } }>('/assets/fonts/:name', openToAll, (request, reply) => {
    const file = Object.hasOwn(fonts, request.params.name) ? fonts[request.params.name] : undefined
    if (file === undefined) return reply.callNotFound()
    const path = fileURLToPath(import.meta.resolve(file))
    return reply.sendFile(path.slice(dirname(path).length + 1), dirname(path), {
      maxAge: '30d',
      immutable: true,
    })
  })
}
