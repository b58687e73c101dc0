import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { schemaFault } from '../../src/agent/schema/json-schema.ts'
import { importJsonl } from '../../src/sources/importers/import-jsonl.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { makeAccount, makeKey, startTestService, type TestService } from '../support/service.ts'

let db: TestDatabase
/** Without a language model, as whoever tries the examples first has it. */
let service: TestService
let key: string
let folder: string

beforeAll(async () => {
  db = await createTestDatabase()
  const lines = (await readFile('src/sources/starter/concepts.jsonl', 'utf8')).split('\n').filter(Boolean)
  async function* library() {
    yield* lines
  }
  await importJsonl(db.database, library(), { allowLicenses: [] })
  service = await startTestService(db.database)
  key = await makeKey(db.database, (await makeAccount(db.database)).id, { reach: { kind: 'owner' } })
  folder = await mkdtemp(join(tmpdir(), 'examples-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true })
  await service.stop()
  await db.drop()
})

/** What a script prints; it runs as a reader runs it, in a folder of its own. */
async function outputOf(name: string): Promise<string> {
  const command = [`BASE_URL=${service.url}/v1`, `API_KEY=${key}`, 'bash', resolve('examples', name)]
  const { stdout } = await promisify(execFile)('env', command, { cwd: folder })
  return stdout
}

/** JSON objects that follow one another, as several calls of curl print them. */
function bodiesIn(output: string): readonly Record<string, never>[] {
  return output
    .replaceAll(/\}(?=\{|HTTP\/)/g, '}\n')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line))
}

type Told = { readonly choices: readonly { readonly message: { readonly content: string } }[] }
const answerIn = (output: string) =>
  (bodiesIn(output)[0] as unknown as Told).choices[0]?.message.content ?? ''

/** What each example has to show. */
const shows: Readonly<Record<string, (output: string) => void>> = {
  'curl-ask.sh': (output) => expect(answerIn(output)).toMatch(/\[1\]/),
  'curl-stream.sh': (output) => {
    expect(output).toMatch(/^data: \{.*"role":"assistant"/)
    expect(output).toMatch(/"choices":\[\],"usage":.*\n\ndata: \[DONE\]\n\n$/)
  },
  'curl-session.sh': (output) => {
    const [answer, messages] = bodiesIn(output) as unknown as [Told, { data: { role: string }[] }]
    expect(answer.choices[0]?.message.content).toMatch(/tzaddik/i)
    expect(messages.data.filter(({ role }) => role === 'user')).toHaveLength(2)
  },
  'curl-background.sh': (output) => {
    expect(output).toContain('event: run.completed')
    expect(bodiesIn(output).at(-1)).toMatchObject({ status: 'completed', object: 'agent.run' })
  },
  'curl-retry.sh': (output) => {
    expect(output.match(/idempotency-replayed: true/g)).toHaveLength(1)
    const [first, second] = bodiesIn(output)
    expect(first).toEqual(second)
  },
  'curl-json.sh': (output) => {
    const schema = {
      type: 'object',
      properties: { summary: { type: 'string' }, certain: { type: 'boolean' } },
      required: ['summary', 'certain'],
    }
    expect(schemaFault(schema, JSON.parse(answerIn(output)))).toBeNull()
  },
  'curl-tools.sh': (output) => expect(answerIn(output)).not.toBe(''),
  'curl-files.sh': (output) => {
    expect(output).toContain('A note on joy: it breaks through fences.\n')
    expect(output).toContain('"deleted":true')
  },
  'curl-sources.sh': (output) => {
    const [search, , check] = bodiesIn(output) as unknown as [
      { data: unknown[] },
      unknown,
      { quotes: { result: string }[] },
    ]
    expect(search.data).toHaveLength(3)
    expect(check.quotes[0]?.result).toBe('verbatim')
  },
  'curl-response.sh': (output) => expect(bodiesIn(output)[0]).toMatchObject({ status: 'completed' }),
  'curl-refused.sh': (output) => {
    expect(output).toMatch(/^HTTP\/1\.1 400/)
    expect(bodiesIn(output)[0]).toMatchObject({ error: { code: 'unsupported_parameter', param: 'n' } })
  },
  'curl-limits.sh': (output) => {
    expect(output).toMatch(/x-ratelimit-remaining-requests: \d+/)
    expect(bodiesIn(output)[0]).toMatchObject({ object: 'api_key', plan: expect.anything() })
  },
}

const scripts = (await readdir('examples')).filter((name) => /^curl-.*\.sh$/.test(name))

test('every example is looked at', () => {
  expect(scripts.toSorted()).toEqual(Object.keys(shows).toSorted())
})

test.each(scripts)('%s does what it says', async (name) => {
  shows[name]?.(await outputOf(name))
})

test('each example stands in the documents, word for word', async () => {
  const pages = (await readdir('docs')).filter((name) => name.endsWith('.md'))
  const shown = new Map<string, string>()
  for (const page of pages) {
    const text = await readFile(join('docs', page), 'utf8')
    for (const [, name = '', snippet = ''] of text.matchAll(
      /<!-- examples\/(curl-\S+) -->\n```sh\n([\s\S]*?)```/g,
    )) {
      shown.set(name, snippet)
    }
  }
  expect([...shown.keys()].toSorted()).toEqual(scripts.toSorted())
  for (const name of scripts) {
    const text = await readFile(join('examples', name), 'utf8')
    expect(text).toBe(`#!/usr/bin/env bash\nset -euo pipefail\n${shown.get(name)}`)
  }
})
