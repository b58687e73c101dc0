import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { schemaFault } from '../../src/agent/schema/json-schema.ts'
import { isShort } from '../support/full.ts'
import { pepperText } from '../support/world/accounts.ts'
import { useWorld, type World } from '../support/world/world.ts'

let { db, service, key } = {} as World
/** Without a language model, as whoever tries the examples first has it. */
let folder: string

const world = useWorld({ model: 'built-in', library: 'concepts' })
beforeAll(async () => {
  ;({ db, service, key } = world)
  folder = await mkdtemp(join(tmpdir(), 'examples-'))
})
afterAll(() => rm(folder, { recursive: true }))

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

type AppendResult = { readonly choices: readonly { readonly message: { readonly content: string } }[] }
const answerIn = (output: string) =>
  (bodiesIn(output)[0] as unknown as AppendResult).choices[0]?.message.content ?? ''

/** What each example has to show. */
const shows: Readonly<Record<string, (output: string) => void>> = {
  'curl-ask.sh': (output) => expect(answerIn(output)).toMatch(/\[1\]/),
  'curl-stream.sh': (output) => {
    expect(output).toMatch(/^data: \{.*"role":"assistant"/)
    expect(output).toMatch(/"choices":\[\],"usage":.*\n\ndata: \[DONE\]\n\n$/)
  },
  'curl-session.sh': (output) => {
    const [answer, messages] = bodiesIn(output) as unknown as [AppendResult, { data: { role: string }[] }]
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

/** What a file of examples prints; `input` is what a reader types. */
async function printedBy(program: string, name: string, input = ''): Promise<string> {
  const env = { PATH: '/usr/bin:/bin', BASE_URL: `${service.url}/v1`, API_KEY: key }
  const running = promisify(execFile)(program, [resolve('examples', name)], { cwd: folder, env })
  running.child.stdin?.end(input)
  return (await running).stdout
}

const python = ['/usr/bin/python3', '/usr/local/bin/python3'].find(existsSync)
if (!python) process.stderr.write('The examples in Python are not run: this machine has no python3.\n')

describe.skipIf(!python)('in Python', () => {
  const run = (name: string, input?: string) => printedBy(String(python), name, input)

  test('ask.py prints an answer, its checked sources and its price', async () => {
    expect(await run('ask.py')).toMatch(/beinoni[\s\S]*\n1 .+ CC0 verbatim\n[\s\S]*\d credits\n$/)
  })

  test('bot.py answers each question, and keeps one session', async () => {
    const printed = await run('bot.py', 'What is bittul?\nWhat is simcha?\n')
    expect(printed.match(/^\[1\] Concepts of Chassidut, (Bitul|Simcha) 1: verbatim$/gm)).toHaveLength(2)
    const sessions = await db.database.system.execute<{ messages: number }>(
      sql`select count(*)::int as messages from messages where role = 'user' group by session_id order by 1 desc`,
    )
    expect(sessions.rows[0]).toEqual({ messages: 2 })
  })

  test('openai_client.py, whose package is not installed here, compiles', async () => {
    const compile = 'import sys; compile(sys.stdin.read(), "openai_client.py", "exec")'
    const running = promisify(execFile)(String(python), ['-c', compile])
    running.child.stdin?.end(await readFile('examples/openai_client.py', 'utf8'))
    await running
  })

  test('study_sheet.py saves a Word and a PDF file', async () => {
    expect(await run('study_sheet.py')).toMatch(
      /^concepts-of-chassidut-simcha-1\.docx \d+ bytes\nconcepts-of-chassidut-simcha-1\.pdf \d+ bytes\n$/,
    )
    expect(
      (await readFile(join(folder, 'concepts-of-chassidut-simcha-1.docx'))).subarray(0, 2).toString(),
    ).toBe('PK')
    expect(
      (await readFile(join(folder, 'concepts-of-chassidut-simcha-1.pdf'))).subarray(0, 4).toString(),
    ).toBe('%PDF')
  })
})

test.skipIf(isShort)('shared-library.sh imports texts that every member finds, and makes a key', async () => {
  // biome-ignore lint/style/noProcessEnv: npm lies where the machine has it
  const path = process.env['PATH']
  const env = {
    PATH: [dirname(process.execPath), path].join(delimiter),
    DATABASE_URL: db.url,
    KEY_PEPPER: pepperText,
  }
  const { stdout } = await promisify(execFile)('bash', ['examples/shared-library.sh'], { env })
  expect(stdout).toContain('Letters on Guests, The open door 2')
  const member = /"key": "(svc_\w+)"/.exec(stdout)?.[1]
  const found = await fetch(`${service.url}/v1/sources/search?q=friend&work=Lessons on Patience`, {
    headers: { Authorization: `Bearer ${member}` },
  })
  expect(await found.json()).toMatchObject({ data: [{ ref: 'Lessons on Patience 1' }] })
})

/** Every file that a page of the documents shows, with its text there. */
async function snippets(): Promise<ReadonlyMap<string, string>> {
  const pages = (await readdir('docs', { recursive: true })).filter((name) => name.endsWith('.md'))
  const texts = await Promise.all(
    [...pages.map((page) => join('docs', page)), 'README.md'].map((page) => readFile(page, 'utf8')),
  )
  const shown = texts.flatMap((text) => [
    ...text.matchAll(/<!-- examples\/(\S+) -->\n(`{3,})\w*\n([\s\S]*?)\2$/gm),
  ])
  return new Map(shown.map(([, name = '', , snippet = '']) => [name, snippet]))
}

test('each example stands in the documents, word for word', async () => {
  const shown = await snippets()
  // docs/clients.md has the clients, which their own tests compare. Pages link to the questions, the reply and the shop.
  const shownElsewhere = /^(curl\.sh|.*\.mts|eval\/questions\.jsonl|reply\.json|billing-stripe\/.*)$/
  const files = (await readdir('examples', { recursive: true })).filter(
    (name) => name.includes('.') && !shownElsewhere.test(name),
  )
  expect([...shown.keys()].toSorted()).toEqual(files.toSorted())
  for (const name of files) {
    const text = await readFile(join('examples', name), 'utf8')
    expect(text).toBe(
      `${name.endsWith('.sh') ? '#!/usr/bin/env bash\nset -euo pipefail\n' : ''}${shown.get(name)}`,
    )
  }
})
