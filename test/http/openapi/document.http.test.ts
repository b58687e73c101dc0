import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { arch, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { FastifyInstance } from 'fastify'
import { beforeAll, expect, test } from 'vitest'
import manifest from '../../../package.json' with { type: 'json' }
import { send } from '../../support/http-raw.ts'
import { ask, table } from '../../support/http-routes.ts'
import { type ApiReader, type Json, pathOf, readApi } from '../../support/openapi-reader.ts'
import { optionalFields } from '../../support/optional-fields.ts'
import type { TestService } from '../../support/world/service.ts'
import { makeOwner, makeThings, type Things } from '../../support/world/things.ts'
import { unhurried } from '../../support/world/unhurried.ts'
import { useWorld } from '../../support/world/world.ts'

let service: TestService
let things: Things
let text: string
let api: ApiReader

const world = useWorld(unhurried)
beforeAll(async () => {
  service = world.service
  const owner = await makeOwner(world.db)
  await world.rows('update accounts set operator = true where id = $1', owner.accountId)
  things = await makeThings(world.db, service, owner)
  text = (await get('/openapi.json')).text
  api = readApi(text)
})

const described = table.filter((row) => !row.undescribed)
const get = (path: string, key?: string) => send(service, { method: 'GET', path, key })

test('the document is valid OpenAPI 3.1 by a public validator', async () => {
  const result = await new Validator().validate(JSON.parse(text))
  expect(result).toEqual({ valid: true })
})

test('no schema has the name of a global type, which would hide it from generated clients', async () => {
  const library = fileURLToPath(
    import.meta.resolve(`@typescript/typescript-${platform}-${arch}/package.json`),
  )
  const globals = new Set<string>()
  for (const file of ['lib.dom.d.ts', 'lib.es5.d.ts']) {
    const declared = await readFile(join(dirname(library), 'lib', file), 'utf8')
    for (const [, name = ''] of declared.matchAll(/^(?:interface|declare (?:var|type)|type) (\w+)/gm))
      globals.add(name)
  }
  expect(globals).toContain('FileList')
  expect(Object.keys(api.document.components.schemas).filter((name) => globals.has(name))).toEqual([])
})

test('every operation says how a client can be wrong, and what key it needs', () => {
  for (const operations of Object.values(api.document.paths))
    for (const operation of Object.values(operations)) {
      expect(Object.keys(operation.responses).filter((status) => status.startsWith('4'))).not.toEqual([])
      expect(operation.description).toMatch(/\w/)
    }
})

test('every route of the service is in the document, with the scope it asks for', () => {
  const listed = Object.entries(api.document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      expect(operation.security).toEqual(operation['x-scope'] === 'public' ? [] : [{ bearer: [] }])
      return `${method.toUpperCase()} ${path} ${operation['x-scope']}`
    }),
  )
  const served = described.filter((row) => !row.named).map((row) => `${pathOf(row.route)} ${row.scope}`)
  expect(listed.toSorted()).toEqual(served.toSorted())
})

test('every optional field of a JSON body may be null', () => {
  const bodies = Object.entries(api.document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { requestBody }]) => {
      const json = requestBody?.content['application/json'] as { schema?: Json } | undefined
      return optionalFields(api.document, json?.schema, `${method} ${path}`)
    }),
  )
  const fields = bodies.flat()
  expect(fields.length).toBeGreaterThan(100)
  expect(fields.filter(({ mayBeNull }) => !mayBeNull)).toEqual([])
})

test('the document has the version and is the same on every replica, key or not', async () => {
  const other = await world.start()
  try {
    const path = '/openapi.json'
    expect((await send(other, { method: 'GET', path })).text).toBe(text)
    expect((await get(`/v1${path}`, things.key)).text).toBe(text)
    expect(api.document.info.version).toBe(manifest.version)
  } finally {
    await other.stop()
  }
})

test.each(described)('$route answers, and takes, what the document says of it', async (row) => {
  const answer = await ask(world, row, things.key, things)
  expect(answer.status).toBe(row.ok ?? 200)
  expect(api.replyFaults(row.route, answer)).toEqual([])
  expect(api.requestFaults(row.route, row.body?.(things)) ?? []).toEqual([])
})

test.each(['day', 'model', 'key', 'project'])('usage by %s is described', async (group) => {
  const answer = await get(`/v1/usage?group_by=${group}`, things.key)
  expect(JSON.parse(answer.text).data[0]).toHaveProperty(group)
  expect(api.replyFaults('GET /v1/usage', answer)).toEqual([])
})

test('a service with a route under /v1 that is not described refuses to boot', async () => {
  const addRoute = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }
    fastify.addHook('onRegister', (instance) => {
      if (instance.prefix === '/v1')
        instance.get('/unknown', { config: { scope: 'any-key' } }, async () => '')
    })
  }
  subscribe('fastify.initialization', addRoute)
  try {
    await expect(world.start()).rejects.toThrow('GET /v1/unknown has no docs')
  } finally {
    unsubscribe('fastify.initialization', addRoute)
  }
})
