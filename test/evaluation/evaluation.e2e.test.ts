import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { instructionText } from '../../src/agent/prompts/prompts.ts'
import type { Evaluation } from '../../src/evaluation/scores/evaluation.ts'
import { runForCode } from '../support/command-line.ts'
import { isShort } from '../support/full.ts'
import type { ScriptSource, UpstreamBody } from '../support/scripted-upstream.ts'
import { callTools, error, gate, reply } from '../support/scripted-upstream.ts'
import { useWorld } from '../support/world/world.ts'
import { launchCommand } from './command-process.ts'

const beinoni = 'Concepts of Chassidut, Beinoni 1'
const rasha = 'Concepts of Chassidut, Rasha 1'
const hostile = '<img src=x onerror=alert(1)>'

const questions = [
  { id: 'found', question: 'Who is the beinoni?', expected: [beinoni] },
  { id: 'he', question: 'מי הוא הבינוני?', expected: [beinoni], forbidden: [rasha], note: hostile },
  { id: 'refused', question: `What is ${hostile}?`, must_refuse: true },
  { id: 'unheld', question: 'What does chapter 12 say?', expected: ['Tanya, Part I; Likkutei Amarim 12'] },
]

let folder: string
let file: string

const lastUser = (body: UpstreamBody): string =>
  String(body.messages.findLast(({ role }) => role === 'user')?.content)
const hasRead = (body: UpstreamBody): boolean => body.messages.at(-1)?.role === 'tool'
const read = (ref: string) => callTools([{ name: 'read_source', arguments: { ref } }])

/** A model that quotes what it has read, cites a forbidden source in Hebrew, and refuses the rest. */
const model: ScriptSource = (body) => {
  const question = lastUser(body)
  if (question.includes('<img'))
    return reply(`The library has nothing on ${hostile}. <script>alert(2)</script>`)
  const isHebrew = question.includes('הבינוני')
  if (!hasRead(body)) return read(isHebrew ? rasha : beinoni)
  if (isHebrew) return reply('אין זה הבינוני [S1].')
  return reply(
    '“never succeeds in wearing its three garments” [S2]. “He is made of silver and of patience” [S2].',
  )
}

const world = useWorld({ processes: true })
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'evaluation-'))
  file = path.join(folder, 'questions.jsonl')
  await writeFile(file, questions.map((question) => JSON.stringify(question)).join('\n'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))
beforeEach(() => world.upstream.setDefault(model))

const command = (words: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runForCode(world.db, words, { MODEL_BASE_URL: world.upstream.baseUrl, MODEL_NAME: 'scripted', ...env })
const wordsFor = (output: string) => ['eval', file, '--output', path.join(folder, output)]
const evaluate = (output: string, ...words: readonly string[]) => command([...wordsFor(output), ...words])
const reportOf = async (output: string): Promise<Evaluation> =>
  JSON.parse(await readFile(path.join(folder, output, 'report.json'), 'utf8')) as Evaluation

/** The runs of evaluations so far. */
const runs = () =>
  world.rows<{ id: string; status: string; cost: string }>(
    `select r.id, r.status, r.cost_micros::text as cost from runs r join accounts a on a.id = r.account_id
      where a.email = 'evaluation@localhost'`,
  )

describe('an evaluation', () => {
  test('asks real turns, charges their account and scores the answers', async () => {
    const { exitCode, printed } = await evaluate('first')
    expect(exitCode).toBe(0)
    const { totals, questions: scored } = await reportOf('first')
    expect(totals).toMatchObject({
      ...{ questions: 4, asked: 3, answered: 2, refused: 1, failed: 0, not_applicable: 1 },
      ...{ right: 2, wrong: 1, forbidden_cited: 1 },
      found: { count: 1, of: 2 },
      rightly_refused: { count: 1, of: 1 },
      quotations: { verbatim: 1, not_found: 1, total: 2 },
    })
    expect(scored.find(({ id }) => id === 'unheld')?.missing).toEqual(['Tanya, Part I; Likkutei Amarim 12'])
    expect(printed).toMatch(/sources found +1\/2 \(50 %\)/)
    const charged = await runs()
    expect(charged.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed'])
    const sum = charged.reduce((micros, { cost }) => micros + BigInt(cost), 0n)
    expect(totals.cost_micros).toBe(sum.toString())
  })

  test('escapes what the model and the file have written in its page', async () => {
    const page = await readFile(path.join(folder, 'first', 'report.html'), 'utf8')
    expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page).not.toMatch(/<img|<script/)
    expect(page).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(page).not.toMatch(/(src|srcset)="|@import|url\(|<link/)
  })

  test.skipIf(isShort)(
    'asks nothing again when its folder has all answers, and refuses other questions',
    async () => {
      const before = (await runs()).length
      expect((await evaluate('first')).exitCode).toBe(0)
      expect(await runs()).toHaveLength(before)
      const other = path.join(folder, 'other.jsonl')
      await writeFile(other, JSON.stringify({ question: 'Something else?' }))
      await expect(command(['eval', other, '--output', path.join(folder, 'first')])).rejects.toThrow(
        /has an evaluation of other questions .+ Choose another folder with --output\./,
      )
    },
  )

  test.skipIf(isShort)('refuses a wrong line before it asks anything', async () => {
    const before = world.upstream.requests.length
    const wrong = path.join(folder, 'wrong.jsonl')
    await writeFile(wrong, `${JSON.stringify(questions[0])}\n{"question":"a","must_refuse":1}`)
    await expect(command(['eval', wrong])).rejects.toThrow(
      'line 2: `must_refuse` has a wrong value. Write true or false, without quotation marks.',
    )
    expect(world.upstream.requests).toHaveLength(before)
  })

  test.skipIf(isShort)('ends with 1 when a limit is missed', async () => {
    const limits = ['--min-found', '0.8', '--max-forbidden', '0']
    const { exitCode, printed } = await evaluate('first', ...limits)
    expect(exitCode).toBe(1)
    expect(printed).toContain('--min-found 0.8 is missed')
    expect(printed).toContain('--max-forbidden 0 is missed')
  })

  test.skipIf(isShort)(
    'ends with 1 when a question fails, and asks that question again on resume',
    async () => {
      world.upstream.setDefault((body) =>
        lastUser(body).includes('beinoni') ? error(400, 'no') : (model(body, {}) as never),
      )
      expect((await evaluate('failing')).exitCode).toBe(1)
      expect((await reportOf('failing')).totals).toMatchObject({ failed: 1, asked: 3 })
      world.upstream.setDefault(model)
      const before = (await runs()).length
      expect((await evaluate('failing')).exitCode).toBe(0)
      expect(await runs()).toHaveLength(before + 1)
      expect((await reportOf('failing')).totals).toMatchObject({ failed: 0, answered: 2 })
    },
  )

  test('stops with a report when the account has too few credits', async () => {
    const plan = { api_access: true, monthly_credits: 3, requests_per_minute: 600, turns_per_minute: 300 }
    const limits = { concurrent_turns: 1, queued_turns: 1, stored_megabytes: 1, file_megabytes: 1 }
    const env = { PLANS_FILE: path.join(folder, 'plans.json') }
    await writeFile(env.PLANS_FILE, JSON.stringify({ small: { ...plan, ...limits } }))
    const create = ['accounts', 'create', '--email', 'small@example.org', '--plan', 'small']
    expect((await command(create, env)).exitCode).toBe(0)
    // Each answer costs more than a third of the credits.
    world.upstream.setDefault(reply('It is so.', { usage: { prompt_tokens: 12_000, completion_tokens: 10 } }))
    const words = ['eval', file, '--output', path.join(folder, 'poor'), '--account', 'small@example.org']
    const { exitCode, printed } = await command(words, env)
    expect(exitCode).toBe(1)
    expect(printed).toMatch(/Stopped\. The turn needs a hold of .+ The answers are kept\./)
    expect((await reportOf('poor')).totals).toMatchObject({ answered: 1, not_asked: 2 })
    // Commands without the file of plans refuse accounts on its plans.
    await world.rows(`update accounts set plan = 'free' where email = 'small@example.org'`)
  })

  test.skipIf(isShort)(
    'keeps its answers when Ctrl-C stops it, and resumes without paying twice',
    async () => {
      const before = (await runs()).length
      const [held, reached] = [gate(), gate()]
      world.upstream.setDefault((body) => {
        if (!lastUser(body).includes('הבינוני') || !hasRead(body))
          return (model as (b: UpstreamBody) => never)(body)
        reached.open()
        return [{ waitFor: held.opened }, { text: 'אין זה הבינוני [S1].' }]
      })
      const stopped = launchCommand(world, folder, [...wordsFor('stopped'), '--concurrency', '1'])
      await stopped.said('1/3  found  completed')
      await reached.opened
      stopped.signal('SIGINT')
      stopped.signal('SIGINT')
      const { code, stdout } = await stopped.ended
      held.open()
      expect(code).toBe(130)
      expect(stdout).toContain('Stopped. The answers are kept. To go on, give the same command with --output')
      expect((await reportOf('stopped')).totals).toMatchObject({ answered: 1, not_asked: 2 })
      const begun = (await runs()).length - before

      world.upstream.setDefault(model)
      expect((await evaluate('stopped')).exitCode).toBe(0)
      expect((await reportOf('stopped')).totals).toMatchObject({ answered: 2, refused: 1, not_asked: 0 })
      expect(begun).toBe(2)
      expect((await runs()).length - before).toBe(3)
    },
  )
})

test('the same questions are asked with other instructions, and the comparison names both prompts', async () => {
  const instructions = path.join(folder, 'instructions.md')
  await writeFile(instructions, 'Answer in rhyme.')
  const asked = world.upstream.requests.length
  expect((await evaluate('rhyming', '--instructions', instructions)).exitCode).toBe(0)
  const told = world.upstream.requests.slice(asked).map(({ body }) => body.messages[0]?.content)
  expect(told.every((text) => String(text).endsWith('\n\nAnswer in rhyme.'))).toBe(true)
  const [first, rhyming] = await Promise.all(['first', 'rhyming'].map(reportOf))
  expect(rhyming?.prompt).toMatch(/^[0-9a-f]{12}$/)
  const words = ['eval', 'compare', path.join(folder, 'first'), path.join(folder, 'rhyming')]
  const { printed } = await command(words)
  expect(printed).toContain(`prompt ${first?.prompt},`)
  expect(printed).toContain(`prompt ${rhyming?.prompt},`)
  await expect(evaluate('rhyming')).rejects.toThrow('another prompt')
  const listed = await command(['models', 'prompts', instructionText('Answer in rhyme.').hash])
  expect(listed.printed).toBe('Answer in rhyme.\n')
})

test.skipIf(isShort)('a wrong instructions file is refused before anything is asked', async () => {
  const absent = evaluate('absent', '--instructions', path.join(folder, 'absent.md'))
  await expect(absent).rejects.toThrow('--instructions')
})

test.skipIf(isShort)('two evaluations are compared by their folders', async () => {
  const [a = '', b = '', page = ''] = ['first', 'failing', 'comparison.html'].map((name) =>
    path.join(folder, name),
  )
  const { exitCode, printed } = await command(['eval', 'compare', a, b, '--output', page])
  expect(exitCode).toBe(0)
  expect(printed).toContain('3 questions in both: 0 better, 0 worse, 3 the same in B.')
  expect(await readFile(page, 'utf8')).not.toMatch(/<img|<script/)
})
