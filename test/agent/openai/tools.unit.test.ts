import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { delta, runPayloads } from './provider-kit.ts'

/** Index, id, name and arguments of a call in a delta; `-` for a member that is left out. */
function call(fragment: string) {
  const [, index, id, name, args] = /^(\S+) (\S+) (\S+) (.*)$/.exec(fragment) ?? []
  const given = { name, arguments: args === 'null' ? null : args }
  const sent = (members: object) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '-'))
  return { ...sent({ index: index === '-' ? '-' : Number(index), id }), function: sent(given) }
}

/** Each row: the fragments, one in a delta, and the calls they mean. */
const peculiarities: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['no index and no id', ['- - f {"x"', '- - - :1}'], ['f {"x":1}']],
  ['two calls, no index', ['- a f {"x":1}', '- b f {"x":2}'], ['f {"x":1}', 'f {"x":2}']],
  ['two calls, no index and no id', ['- - f {"x":1}', '- - f {"x":2}'], ['f {"x":1}', 'f {"x":2}']],
  ['all calls under index 0', ['0 a f {"x":1}', '0 b g {"x":2}'], ['f {"x":1}', 'g {"x":2}']],
  ['equal calls under index 0', ['0 a f {}', '0 b f {}'], ['f {}', 'f {}']],
  ['the name repeated', ['0 a f {"x"', '0 a f :1}'], ['f {"x":1}']],
  ['the name repeated, no index and no id', ['- - f {"x"', '- - f :1}'], ['f {"x":1}']],
  ['a fresh id with each delta', ['0 a f {"x"', '0 b - :1}'], ['f {"x":1}']],
  ['a fresh id and the name with each delta', ['0 a f {"x"', '0 b f :1}'], ['f {"x":1}']],
  ['the name in pieces', ['0 a search_ ', '0 - sources {}'], ['search_sources {}']],
  ['the name growing', ['0 a search_ ', '0 a search_sources {}'], ['search_sources {}']],
  [
    'no index, interleaved by id',
    ['- a f {"x"', '- b g {"y"', '- a - :1}', '- b - :2}'],
    ['f {"x":1}', 'g {"y":2}'],
  ],
  ['the name after the arguments', ['0 a - {}', '0 - f '], ['f {}']],
  ['arguments left out', ['0 a f -'], ['f {}']],
  ['null arguments, then text', ['0 a f null', '0 - - {}'], ['f {}']],
  ['malformed arguments', ['0 a f {"x": '], ['f {"x": ']],
  ['the same id twice', ['0 a f {}', '1 a g {}'], ['f {}', 'g {}']],
]

describe('tool calls come out right from', () => {
  const callsOf = async (deltas: readonly (readonly string[])[]) => {
    const fragments = deltas.map((tool_calls) => delta({ tool_calls: tool_calls.map(call) }))
    const { last } = await runPayloads([...fragments, delta({}, 'stop'), '[DONE]'])
    expect(last).toMatchObject({ reason: 'tool_calls' })
    const calls = last.type === 'finish' ? last.toolCalls : []
    const ids = calls.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => id !== '')).toBe(true)
    return calls.map(({ name, arguments: text }) => `${name} ${text}`)
  }

  it.each(peculiarities)('%s', async (_name, fragments, expected) => {
    expect(await callsOf(fragments.map((one) => [one]))).toEqual(expected)
  })

  it.each([
    ['with', ['0 a f {}', '1 b g {}']],
    ['without', ['- - f {}', '- - g {}']],
  ])('two calls in one delta, %s index and id', async (_name, fragments) => {
    expect(await callsOf([fragments])).toEqual(['f {}', 'g {}'])
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
            delta({ tool_calls: [call(`${index} id${index} f${index} `)] }),
          )
          for (let at = 0; at < Math.max(...texts.map((text) => text.length)); at += size) {
            const pieces = texts.map((text, index) => ({
              index,
              function: { arguments: text.slice(at, at + size) },
            }))
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
