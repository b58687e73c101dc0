import fc from 'fast-check'
import { expect, test } from 'vitest'
import { times } from '../../support/full.ts'
import {
  asks,
  collected,
  loopInput,
  type ModelChunk,
  memoryJournal,
  play,
  resultsOf,
  says,
  scriptedProvider,
  textOf,
  tool,
  usage,
} from '../../support/loop-kit.ts'

const smile = '😀'
const [high, low] = [smile[0] ?? '', smile[1] ?? '']

/** What Postgres takes as jsonb: no NUL, no half of a surrogate pair, in any text of the value. */
function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0')
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, item]) => isStorable(key) && isStorable(item))
}

test('a character whose halves come in two deltas arrives whole', async () => {
  const journal = memoryJournal()
  const events = await play(scriptedProvider(says(`a${high}`, `${low}b`)), { journal })
  expect(events.flatMap((event) => (event.type === 'text.delta' ? [event.text] : []))).toEqual([
    'a',
    `${smile}b`,
  ])
  expect(journal.records[0]).toMatchObject({ text: `a${smile}b` })
})

test('a half that waits is neither lost nor joined to the wrong one', async () => {
  expect(textOf(await play(scriptedProvider(says(high, high, low, high))))).toBe(`\ufffd${smile}\ufffd`)
  expect(textOf(await play(scriptedProvider(says(`${low}x`, `y${high}`))))).toBe('\ufffdxy\ufffd')
})

test('NUL becomes U+FFFD in what is shown and in what is kept', async () => {
  const journal = memoryJournal()
  expect(textOf(await play(scriptedProvider(says('a\0b')), { journal }))).toBe('a\ufffdb')
  expect(journal.records[0]).toMatchObject({ text: 'a\ufffdb' })
})

test('the blank line between replies precedes text that began with half a character', async () => {
  const provider = scriptedProvider(asks([['a', {}]], 'One'), says(high, `${low}!`))
  expect(textOf(await play(provider, { tools: [tool('a')] }))).toBe(`One\n\n${smile}!`)
})

test('names and arguments of calls are made storable, escapes inside the arguments too', async () => {
  const given: unknown[] = []
  const titles: string[] = []
  const taking = tool('a', async (args) => {
    given.push(args)
    return { content: `read\0 ${high}` }
  })
  const journal = memoryJournal()
  const provider = scriptedProvider(
    asks([
      ['a', String.raw`{"q":"x\u0000y\ud83d","list":["\udc00"]}`],
      [`b\0${low}`, `{"raw":"\0${high}"}`],
    ]),
    says('.'),
  )
  const events = await play(provider, { tools: [taking], journal })
  for (const event of events) if (event.type === 'tool.started') titles.push(event.title)
  expect(given).toEqual([{ q: 'x\ufffdy\ufffd', list: ['\ufffd'] }])
  expect(resultsOf(events)[0]?.content).toBe('read\ufffd \ufffd')
  expect(resultsOf(events)[1]?.call).toMatchObject({
    name: 'b\ufffd\ufffd',
    arguments: '{"raw":"\ufffd\ufffd"}',
  })
  expect(titles.every(isStorable)).toBe(true)
  expect(journal.records.every(isStorable)).toBe(true)
})

test('the message of a failure is storable', async () => {
  const provider = scriptedProvider([{ type: 'error', kind: 'upstream', message: `it said \0${high}` }])
  expect((await play(provider)).at(-1)).toMatchObject({ message: 'it said \ufffd\ufffd' })
})

const ragged = fc.array(fc.constantFrom('a', 'ב', high, low, smile, '\0', '\n'), { maxLength: 12 })

test('shown and stored text do not depend on how deltas cut it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(ragged, { maxLength: 6 }), async (deltas) => {
      const pieces = deltas.map((delta) => delta.join(''))
      const whole = pieces.join('')
      const chunks: ModelChunk[] = [
        ...pieces.map((text) => ({ type: 'text' as const, text })),
        { type: 'finish', reason: 'stop', toolCalls: [], usage },
      ]
      const journal = memoryJournal()
      const events = await play(scriptedProvider(chunks), { journal })
      const expected = whole.replaceAll('\0', '\ufffd').toWellFormed()
      expect(textOf(events)).toBe(expected)
      expect(journal.records[0]).toMatchObject({ text: expected })
      for (const event of events) expect(isStorable(event)).toBe(true)
    }),
    { numRuns: times(100, 300) },
  )
})

const long = `${'word 😀 '.repeat(20_000)}end`

test('a long text arrives in order, and the event loop runs between its slices', async () => {
  const shown: string[] = []
  let turns = 0
  let ended = false
  const count = () => {
    turns += 1
    if (!ended) setImmediate(count)
  }
  setImmediate(count)
  const turnsBefore: number[] = []
  const events = await collected(loopInput(scriptedProvider(says('first ', long, ' last'))), (event) => {
    if (event.type !== 'text.delta') return
    shown.push(event.text)
    turnsBefore.push(turns)
  })
  ended = true
  expect(shown.join('')).toBe(`first ${long} last`)
  expect(shown.every((text) => text.length <= 4_096 && text.isWellFormed())).toBe(true)
  expect(turnsBefore.at(-1)).toBeGreaterThanOrEqual(Math.floor(long.length / 4_096))
  expect(events.at(-1)).toMatchObject({ type: 'turn.finished' })
})

test.each([{}, { responseFormat: { type: 'json_object' } }])(
  'nothing of a long text is shown after an abort (%j)',
  async (sampling) => {
    const stop = new AbortController()
    const journal = memoryJournal()
    let shown = 0
    const provider = scriptedProvider(says(JSON.stringify({ long })))
    const turn = loopInput(provider, { journal, sampling, signal: stop.signal })
    const events = await collected(turn, (event) => {
      if (event.type !== 'text.delta') return
      shown += 1
      if (shown === 2) stop.abort('cancelled')
    })
    expect(shown).toBe(2)
    expect(journal.records).toEqual([])
    expect(events.at(-1)).toMatchObject({
      type: 'turn.failed',
      kind: 'aborted',
      unfinished: { kind: 'model', toolCalls: [], unfinished: true },
    })
  },
)
