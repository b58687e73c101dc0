import { readFile } from 'node:fs/promises'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ServiceError } from '../../src/errors.ts'
import { scanJson } from '../../src/http/body/json-scan.ts'
import { boundedList, boundedText, bounds } from '../../src/http/limits/bounds.ts'
import { checkInput } from '../../src/http/openapi/zod.ts'
import { boundsList } from '../support/bounds-list.ts'

const refusal = async (text: string) => {
  const error = await scanJson(text).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return error instanceof ServiceError
    ? { code: error.code, param: error.param, message: error.message }
    : error
}
const zeros = (count: number) => JSON.stringify(Array(count).fill(0))
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const members = (count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 0])))

test('docs/limits.md has the list of bounds that the checks use', async () => {
  expect(await readFile('docs/limits.md', 'utf8')).toContain(boundsList(bounds))
})

describe('the scan of a JSON body', () => {
  test.each([
    ['entries of an array', `{"a":[{"b":${zeros(10_001)}}]}`, 'a[0].b', /at most 10,000 entries/],
    ['members of an object', `{"a":[${members(10_001)}]}`, 'a[0]', /at most 10,000 entries/],
    ['levels', `{"a":${nested(200)}}`, 'a', /at most 200 levels/],
    ['values', `{"a":[${Array(11).fill(zeros(9_100)).join()}]}`, 'a', /at most 100,000 values/],
    ['characters of a name', `{"a":{"${'n'.repeat(1_001)}":1}}`, 'a', /at most 1,000 characters/],
    [
      'characters of a text',
      `{"a":["x","${'n'.repeat(1_000_001)}"]}`,
      'a[1]',
      /at most 1,000,000 characters/,
    ],
    ['characters of an address', `{"url":"${'n'.repeat(1_000_001)}"}`, 'url', /at most 1,000,000 characters/],
  ])('names the field and the bound when there are too many %s', async (_what, text, param, says) => {
    expect(await refusal(text)).toEqual({
      code: 'invalid_value',
      param,
      message: expect.stringMatching(says),
    })
  })

  test.each([
    ['entries', `{"a":${zeros(10_000)}}`],
    ['levels', nested(200)],
    ['members', members(10_000)],
    ['a text', `{"a":"${'n'.repeat(1_000_000)}"}`],
    ['an image', `{"url":"data:image/png;base64,${'A'.repeat(2_000_000)}"}`],
    ['a file', `{"file_data":"${'A'.repeat(2_000_000)}"}`],
    ['brackets in a text', `{"a":"${'[{\\"'.repeat(50_000)}"}`],
  ])('accepts the most that is allowed: %s', async (_what, text) => {
    expect(await refusal(text)).toBeUndefined()
  })

  test('counts every value and no other, whatever the JSON looks like', async () => {
    const size = (value: unknown): number =>
      typeof value !== 'object' || value === null
        ? 1
        : Object.values(value).reduce((sum: number, item) => sum + size(item), 1)
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 4, stringUnit: 'binary' }),
        fc.boolean(),
        async (value, wide) => {
          fc.pre(!JSON.stringify(value).includes('\\u0000') && !JSON.stringify(value).includes('"__proto__"'))
          const values = size(value)
          // Filled up to the bound with arrays of zeros; one zero more is too many.
          let room = bounds.values.max - values - 1
          const rows: number[][] = []
          for (; room > 0; room -= (rows.at(-1)?.length ?? 0) + 1) {
            rows.push(Array(Math.min(room - 1, 9_000)).fill(0))
          }
          const text = (more: readonly unknown[]) =>
            JSON.stringify([value, ...rows, ...more], null, wide ? 2 : 0)
          expect(size(JSON.parse(text([])))).toBe(bounds.values.max)
          expect(await refusal(text([]))).toBeUndefined()
          expect(await refusal(text([0]))).toMatchObject({
            message: expect.stringContaining('100,000 values'),
          })
        },
      ),
      { numRuns: 8, endOnFailure: true },
    )
  })

  test('refuses names that reach a prototype and NUL, however they are written', async () => {
    expect(await refusal('{"a":{"__proto__":1}}')).toMatchObject({
      message: expect.stringMatching(/__proto__/),
    })
    expect(await refusal('{"a":{"\\u005f_proto__":1}}')).toMatchObject({ code: 'invalid_value' })
    expect(await refusal('{"a":"__proto__"}')).toBeUndefined()
    expect(await refusal('{"a":"x\\u0000"}')).toMatchObject({ message: expect.stringMatching(/NUL/) })
    expect(await refusal('{"a":"x\\\\u0000"}')).toBeUndefined()
    expect(await scanJson('{"a":"\\ud83d\\ude00"}')).toEqual({ surrogates: true })
  })
})

describe('the check of a value', () => {
  test('counts a character once, however it is written', async () => {
    const hebrew = '\\u05d0'.repeat(1_000_000)
    expect(await scanJson(`{"a":"${hebrew}"}`)).toEqual({ surrogates: false })
    expect(await refusal(`{"a":"${hebrew}\\n"}`)).toMatchObject({ param: 'a' })
    expect(await scanJson(`{"${'\\"'.repeat(1_000)}":1}`)).toEqual({ surrogates: false })
    expect(await refusal(`{"${'\\u05d0'.repeat(1_001)}":1}`)).toMatchObject({ code: 'invalid_value' })
  })

  test('ends with the first fault, however many there are', () => {
    const list = boundedList(z.object({ name: boundedText(bounds.name) }), bounds.entries)
    const parsed = checkInput(z.object({ list, other: z.string() }), { list: Array(10_000).fill(0) })
    expect(parsed.error?.issues).toHaveLength(1)
    expect(parsed.error?.issues[0]?.path).toEqual(['list', 0])
  })

  test('looks at the length of an array before its items', () => {
    let seen = 0
    const item = z.unknown().refine(() => {
      seen += 1
      return true
    })
    expect(checkInput(boundedList(item, bounds.stops), Array(1_000).fill(0)).success).toBe(false)
    expect(seen).toBe(0)
  })
})
