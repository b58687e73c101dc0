import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { delta, runPayloads } from './provider-kit.ts'

const call = (
  index: number | undefined,
  id: string | undefined,
  name: string | undefined,
  args: unknown,
) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  function: { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args }) },
})

type Fragment = ReturnType<typeof call>

/** Each row: the fragments as they come, delta by delta, and the calls they mean. */
const peculiarities: readonly (readonly [string, readonly (readonly Fragment[])[], readonly string[]])[] = [
  ['a whole call in one delta', [[call(0, 'a', 'f', '{"x":1}')]], ['f {"x":1}']],
  ['two whole calls in one delta', [[call(0, 'a', 'f', '{}'), call(1, 'b', 'g', '{}')]], ['f {}', 'g {}']],
  [
    'no index',
    [[call(undefined, 'a', 'f', '{"x"')], [call(undefined, 'a', undefined, ':1}')]],
    ['f {"x":1}'],
  ],
  [
    'no index and no id',
    [[call(undefined, undefined, 'f', '{"x"')], [call(undefined, undefined, undefined, ':1}')]],
    ['f {"x":1}'],
  ],
  [
    'two calls, no index',
    [[call(undefined, 'a', 'f', '{"x":1}')], [call(undefined, 'b', 'f', '{"x":2}')]],
    ['f {"x":1}', 'f {"x":2}'],
  ],
  [
    'two calls, no index and no id',
    [[call(undefined, undefined, 'f', '{"x":1}')], [call(undefined, undefined, 'f', '{"x":2}')]],
    ['f {"x":1}', 'f {"x":2}'],
  ],
  [
    'two calls in one delta, no index and no id',
    [[call(undefined, undefined, 'f', '{}'), call(undefined, undefined, 'g', '{}')]],
    ['f {}', 'g {}'],
  ],
  [
    'all calls under index 0',
    [[call(0, 'a', 'f', '{"x":1}')], [call(0, 'b', 'g', '{"x":2}')]],
    ['f {"x":1}', 'g {"x":2}'],
  ],
  ['equal calls under index 0', [[call(0, 'a', 'f', '{}')], [call(0, 'b', 'f', '{}')]], ['f {}', 'f {}']],
  ['the name repeated', [[call(0, 'a', 'f', '{"x"')], [call(0, 'a', 'f', ':1}')]], ['f {"x":1}']],
  [
    'the name repeated, no index and no id',
    [[call(undefined, undefined, 'f', '{"x"')], [call(undefined, undefined, 'f', ':1}')]],
    ['f {"x":1}'],
  ],
  [
    'a fresh id with each delta',
    [[call(0, 'a', 'f', '{"x"')], [call(0, 'b', undefined, ':1}')]],
    ['f {"x":1}'],
  ],
  [
    'a fresh id and the name with each delta',
    [[call(0, 'a', 'f', '{"x"')], [call(0, 'b', 'f', ':1}')]],
    ['f {"x":1}'],
  ],
  [
    'the name in pieces',
    [[call(0, 'a', 'search_', '')], [call(0, undefined, 'sources', '{}')]],
    ['search_sources {}'],
  ],
  [
    'the name growing',
    [[call(0, 'a', 'search_', '')], [call(0, 'a', 'search_sources', '{}')]],
    ['search_sources {}'],
  ],
  [
    'no index, interleaved by id',
    [
      [call(undefined, 'a', 'f', '{"x"')],
      [call(undefined, 'b', 'g', '{"y"')],
      [call(undefined, 'a', undefined, ':1}')],
      [call(undefined, 'b', undefined, ':2}')],
    ],
    ['f {"x":1}', 'g {"y":2}'],
  ],
  [
    'the name after the arguments',
    [[call(0, 'a', undefined, '{}')], [call(0, undefined, 'f', '')]],
    ['f {}'],
  ],
  [
    'the whole call repeated at the end',
    [[call(0, 'a', 'f', '{"x"')], [call(0, undefined, undefined, ':1}')], [call(0, 'a', 'f', '{"x":1}')]],
    ['f {"x":1}'],
  ],
  ['arguments as an object', [[call(0, 'a', 'f', { x: 1 })]], ['f {"x":1}']],
  ['arguments left out', [[call(0, 'a', 'f', undefined)]], ['f {}']],
  ['empty arguments', [[call(0, 'a', 'f', '')]], ['f {}']],
  ['null arguments, then text', [[call(0, 'a', 'f', null)], [call(0, undefined, undefined, '{}')]], ['f {}']],
  ['malformed arguments', [[call(0, 'a', 'f', '{"x": ')]], ['f {"x": ']],
  ['the same id twice', [[call(0, 'a', 'f', '{}')], [call(1, 'a', 'g', '{}')]], ['f {}', 'g {}']],
]

describe('tool calls come out right from', () => {
  it.each(peculiarities)('%s', async (_name, deltas, expected) => {
    const outcome = await runPayloads([
      ...deltas.map((tool_calls) => delta({ tool_calls })),
      delta({}, 'stop'),
      '[DONE]',
    ])
    const calls = outcome.last.type === 'finish' ? outcome.last.toolCalls : []
    expect(calls.map(({ name, arguments: text }) => `${name} ${text}`)).toEqual(expected)
    const ids = calls.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => id !== '')).toBe(true)
    expect(outcome.last).toMatchObject({ reason: 'tool_calls' })
  })

  it('the older function_call', async () => {
    const outcome = await runPayloads([
      delta({ function_call: { name: 'f', arguments: '{"x"' } }),
      delta({ function_call: { arguments: ':1}' } }),
      delta({}, 'function_call'),
    ])
    expect(outcome.last).toMatchObject({
      reason: 'tool_calls',
      toolCalls: [{ name: 'f', arguments: '{"x":1}' }],
    })
  })

  it('any number of calls whose arguments are cut anywhere and interleaved', async () => {
    const args = fc.dictionary(
      fc.string({ unit: 'grapheme', maxLength: 8 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(args, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 7 }),
        async (all, size) => {
          const texts = all.map((value) => JSON.stringify(value))
          const deltas = texts.map((_, index) =>
            delta({ tool_calls: [call(index, `id${index}`, `f${index}`, '')] }),
          )
          for (let at = 0; at < Math.max(...texts.map((text) => text.length)); at += size) {
            const pieces = texts.map((text, index) =>
              call(index, undefined, undefined, text.slice(at, at + size)),
            )
            deltas.push(delta({ tool_calls: pieces.filter((piece) => piece.function.arguments !== '') }))
          }
          const outcome = await runPayloads([...deltas, delta({}, 'tool_calls')])
          const calls = outcome.last.type === 'finish' ? outcome.last.toolCalls : []
          expect(calls).toEqual(texts.map((text, n) => ({ id: `id${n}`, name: `f${n}`, arguments: text })))
        },
      ),
      { numRuns: 100 },
    )
  })
})
