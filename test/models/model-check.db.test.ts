import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ModelCheck } from '../../src/models/check/model-check.ts'
import { lastChecks } from '../../src/models/check/stored-checks.ts'
import type { FindingId } from '../../src/models/check/wording.ts'
import { runForCode, runLine } from '../support/command-line.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { useFolder } from '../support/folder.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../support/scripted-upstream.ts'
import { obedientModel, type PlantedFault, window } from './obedient-model.ts'

let db: TestDatabase
let upstream: ScriptedUpstream
const folder = useFolder()
let env: Readonly<Record<string, string>>

const secret = 'sk-scripted-secret-key'

beforeAll(async () => {
  ;[db, upstream] = await Promise.all([createTestDatabase(), startScriptedUpstream()])
  const server = { base_url: upstream.baseUrl, api_key: secret, name: 'scripted', context_tokens: window }
  const models = [
    { id: 'service', ...server, images: true, first_word_seconds: 1 },
    { id: 'no-images', ...server },
    { id: 'small', ...server, lite: true },
    { id: 'nobody', ...server, base_url: 'http://127.0.0.1:9/v1' },
    { id: 'passages' },
  ]
  await writeFile(path.join(folder, 'models.json'), JSON.stringify({ models }))
  env = { MODELS_FILE: path.join(folder, 'models.json'), DATA_DIR: folder }
})
afterAll(() => Promise.all([db.drop(), upstream.close()]))

async function check(fault?: PlantedFault, ...words: readonly string[]) {
  upstream.setDefault(obedientModel(fault))
  const { printed, exitCode } = await runForCode(db, ['models', 'check', ...words, '--json'], env)
  expect(printed).not.toContain(secret)
  const found = JSON.parse(printed) as ModelCheck
  const notOk = found.checks.filter(({ status }) => status === 'failed' || status === 'adapted')
  return { found, exitCode, notOk: notOk.map(({ id, status, finding }) => `${id}: ${status} ${finding}`) }
}

test('an obedient model passes every check, and its calls are priced', async () => {
  const { found, exitCode, notOk } = await check()
  expect(notOk).toEqual([])
  expect(exitCode).toBe(0)
  expect(found).toMatchObject({ model: 'service', good_enough: true, interrupted: false })
  expect(found.counts).toEqual({ ok: 24, adapted: 0, failed: 0, skipped: 0 })
  expect(found.calls).toBe(upstream.requests.length)
  expect(Number(found.credits)).toBeCloseTo(found.prompt_tokens / 10_000 + found.completion_tokens / 2_500, 3)
  expect(found.first_text_ms).toBeGreaterThanOrEqual(0)
})

describe('the check names a planted fault and its remedy, and nothing else:', () => {
  const rows: readonly (readonly [PlantedFault, string, FindingId, string, 0 | 1])[] = [
    ['refuses the key', 'answer', 'unauthorized', 'api_key', 1],
    ['does not know the model', 'answer', 'not_found', 'name', 1],
    ['slow first word', 'answer', 'no_reply_in_time', 'first_word_seconds', 1],
    ['broken stream', 'answer', 'broken_stream', 'proxies', 1],
    ['empty reply', 'answer', 'no_text', 'reasoning', 1],
    ['forgets the system message', 'system', 'system_forgotten', '--jinja', 1],
    ['forgets the conversation', 'follow_up', 'history_forgotten', 'num_ctx', 1],
    ['ignores stop', 'stop', 'stop_ignored', 'stop', 0],
    ['ignores max_tokens', 'max_tokens', 'max_tokens_ignored', 'api', 1],
    ['writes no JSON', 'json', 'json_invalid', 'temperature', 0],
    ['calls no tool', 'tool_call', 'no_tool_call', '--tool-call-parser', 1],
    ['refuses tools', 'tool_call', 'tools_refused', '--enable-auto-tool-choice', 1],
    ['refuses tools with 500', 'tool_call', 'tools_refused', '--jinja', 1],
    ['writes calls into the text', 'tool_call', 'tool_call_in_text', '--tool-call-parser', 1],
    ['malformed arguments', 'tool_call', 'malformed_arguments', 'temperature', 1],
    ['one call at a time', 'two_calls', 'one_call_only', 'parallel_tool_calls', 0],
    ['ignores tool_choice', 'forced_tool', 'tool_choice_ignored', 'reasoning', 0],
    ['does not read results', 'tool_result', 'result_unread', 'num_ctx', 1],
    ['refuses tool results', 'tool_result', 'history_refused', 'api', 1],
    ['drops the second result', 'two_results', 'results_lost', 'parallel_tool_calls', 1],
    ['stops after two steps', 'five_steps', 'steps_broken', 'reasoning', 1],
    ['half the window', 'long_context', 'window_smaller', 'context_tokens', 1],
    ['cuts the prompt', 'long_context', 'prompt_cut', 'num_ctx', 1],
    ['misses the needle', 'long_context', 'needle_missed', 'context_tokens', 1],
    ['refuses images', 'image', 'image_refused', 'images', 1],
    ['sees no colour', 'image', 'image_unseen', 'images', 1],
    ['strips the points', 'hebrew_points', 'points_lost', 'larger model', 1],
    ['changes a letter', 'quotation', 'letters_changed', 'larger model', 1],
    ['drops the marks', 'marks', 'marks_dropped', 'larger model', 1],
    ['invents the ref', 'invented_ref', 'ref_invented', 'larger model', 1],
    ['no usage', 'usage', 'usage_missing', 'include_usage', 0],
    ['leaks reasoning', 'reasoning', 'reasoning_in_text', '--reasoning-parser', 1],
    ['constant usage', 'usage', 'usage_impossible', 'update the server', 0],
    ['impossible usage', 'usage', 'usage_impossible', 'context_tokens', 0],
  ]
  test.each(rows)('%s', async (fault, id, finding, remedy, code) => {
    const { found, exitCode, notOk } = await check(fault)
    expect(notOk).toEqual([`${id}: failed ${finding}`])
    expect(found.checks.find((one) => one.id === id)?.remedy).toContain(remedy)
    expect(exitCode).toBe(code)
  })
})

test('a refused parameter is named as left out, and the model stays good enough', async () => {
  for (const [fault, id, parameter] of [
    ['refuses temperature', 'temperature', 'temperature'],
    ['refuses response_format', 'json', 'response_format'],
  ] as const) {
    const { found, exitCode, notOk } = await check(fault)
    expect(notOk).toEqual([`${id}: adapted left_out`])
    expect(found.checks.find((one) => one.id === id)?.note).toBe(parameter)
    expect(exitCode).toBe(0)
  }
})

test('a server that cannot be reached is named, with the setting of its address', async () => {
  const { found, exitCode, notOk } = await check(undefined, 'nobody')
  expect(notOk).toEqual(['answer: failed no_reply'])
  expect(found.checks[0]).toMatchObject({ note: expect.stringContaining('ECONNREFUSED') })
  expect(found.checks[0]?.remedy).toContain('base_url')
  expect([exitCode, found.counts.skipped]).toEqual([1, 23])
})

test('a model without images and a lite model skip what does not concern them', async () => {
  const without = await check(undefined, 'no-images')
  expect([without.exitCode, without.notOk]).toEqual([0, []])
  expect(without.found.checks.find(({ id }) => id === 'image')).toMatchObject({ finding: 'images_off' })
  const small = await check('calls no tool', 'small')
  expect([small.exitCode, small.notOk]).toEqual([0, []])
  expect(small.found.checks.find(({ id }) => id === 'tool_call')).toMatchObject({ finding: 'lite_model' })
})

test('the last result of each model is stored', async () => {
  await check('ignores stop')
  const { found } = await check('drops the marks')
  const stored = await lastChecks(db.database.system)
  expect(stored.find(({ model }) => model === 'service')).toEqual(found)
  expect(await lastChecks(db.database.system).then((all) => all.map(({ model }) => model))).toContain(
    'service',
  )
})

test('the lines for people name the failed check, its remedy and the price', async () => {
  upstream.setDefault(obedientModel('drops the marks'))
  const printed = await runLine(db, ['models', 'check'], env)
  expect(printed).toMatch(/^FAILED {3}marks .*The answer does not cite the passages/m)
  expect(printed).toMatch(/^ {9}→ No setting mends this\./m)
  expect(printed).toMatch(/23 ok, 0 adapted, 1 failed, 0 skipped\. First text after/)
  expect(printed).toMatch(/credits at the price of the model\. Nobody is charged\./)
  expect(printed).toContain('The model "service" is not good enough for turns: marks.')
})

test('an unknown model and the built-in model are refused by name', async () => {
  await expect(runLine(db, ['models', 'check', 'gpt'], env)).rejects.toThrow(
    'There is no model "gpt". Use one of',
  )
  await expect(runLine(db, ['models', 'check', 'passages'], env)).rejects.toThrow('the built-in model')
})

test('models list shows windows and prices', async () => {
  const printed = await runLine(db, ['models', 'list'], env)
  expect(printed).toContain(
    `service  server  ${window} tokens  images  credits: 0.1 input, 0.4 output, 0.05 tool call`,
  )
  expect(printed).toContain('passages  built-in')
})
