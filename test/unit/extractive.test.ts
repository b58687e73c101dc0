import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import {
  composeAnswer,
  composeFile,
  type FoundPassage,
  fileNameFor,
  searchWords,
} from '../../src/agent/extractive-answer.ts'
import { createExtractiveProvider } from '../../src/agent/extractive-provider.ts'
import { type Overrides, play, resultsOf, textOf, tool } from '../support/loop-kit.ts'

type Passage = {
  readonly mark: string
  readonly ref: string
  readonly he_ref: string
  readonly language: string
  readonly text: string
  readonly points_to?: readonly string[]
}

const english: Passage = {
  mark: '[S1]',
  ref: 'Beinoni 1',
  he_ref: 'בינוני א',
  language: 'en',
  text: 'The beinoni is one whose evil never prevails. He has not sinned.',
  points_to: ['Tanya, Part I; Likkutei Amarim 12:1'],
}
const hebrew: Passage = { ...english, mark: '[S2]', language: 'he', text: 'הבינוני הוא שאין הרע גובר בו.' }
const other: Passage = { ...english, mark: '[S3]', ref: 'Other 5', text: 'Another place.', points_to: [] }

/** The tools of a library that finds the given passages, and a project that takes files unless it is full. */
function library(found: readonly Passage[], options: { readonly full?: boolean } = {}) {
  const asked: string[] = []
  const noting = (name: string, content: (args: Readonly<Record<string, unknown>>) => object) =>
    tool(name, async (args) => {
      asked.push(`${name} ${JSON.stringify(args)}`)
      return { content: JSON.stringify(content(args)) }
    })
  const tools = [
    noting('search_sources', () => ({ passages: found })),
    noting('read_source', ({ ref }) => ({ passages: found.filter((passage) => passage.ref === ref) })),
    noting('write_file', () => (options.full ? { error: 'The project is full.' } : { ok: true })),
  ]
  return { tools, asked }
}

async function answerTo(
  question: string,
  found: readonly Passage[],
  overrides: Overrides & { full?: boolean } = {},
) {
  const { full, ...rest } = overrides
  const { tools, asked } = library(found, { full: full ?? false })
  const events = await play(createExtractiveProvider(), {
    tools,
    messages: [{ role: 'user', content: question }],
    ...rest,
  })
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'stop', notice: null })
  return { text: textOf(events), asked, results: resultsOf(events) }
}

test('it searches for the question, reads the best passage, and quotes it under its mark', async () => {
  const { text, asked } = await answerTo('What is a beinoni?', [english, hebrew, other])
  expect(asked).toEqual([
    'search_sources {"query":"What is a beinoni?","limit":8}',
    'read_source {"ref":"Beinoni 1"}',
  ])
  expect(text).toContain(`> “${english.text}” [S1]`)
  expect(text).toContain(`> „${hebrew.text}” [S2]`)
  expect(text).toContain(`> “${other.text}” [S3]`)
  expect(text).toContain('Primary texts on this:\n- Tanya, Part I; Likkutei Amarim 12:1')
})

test('a Hebrew question is answered in Hebrew, with the Hebrew version first', async () => {
  const { text } = await answerTo('מהו בינוני?', [english, hebrew])
  expect(text).toMatch(/^בשרת זה/)
  expect(text.indexOf(hebrew.text)).toBeGreaterThan(0)
  expect(text.indexOf(hebrew.text)).toBeLessThan(text.indexOf(english.text))
  expect(text).toContain('בינוני א')
})

test('when nothing is found it says so, reads nothing and cites nothing', async () => {
  const { text, asked } = await answerTo('What is a quark?', [])
  expect(asked).toHaveLength(1)
  expect(text).toMatch(/^The library of this server has no passage that answers this/)
  expect(text).not.toMatch(/\[S\d/)
})

test('asked for a file it writes one with the quotations, and names it', async () => {
  const { text, asked } = await answerTo('Prepare a source sheet about the beinoni', [english])
  expect(asked[0]).toBe('search_sources {"query":"beinoni","limit":8}')
  const written = JSON.parse(asked[2]?.slice('write_file '.length) ?? '{}') as {
    name: string
    content: string
  }
  expect(written.name).toBe('beinoni.md')
  expect(written.content).toContain(`## Beinoni 1\n\n> “${english.text}”`)
  expect(written.content).not.toContain('[S1]')
  expect(text).toContain(`written to the file ${written.name}`)
})

test('asked for a source sheet it has one made of the places it found, in the formats that are named', async () => {
  const { tools, asked } = library([english, other])
  const made = tool('make_source_sheet', async (args) => {
    asked.push(`make_source_sheet ${JSON.stringify(args)}`)
    return { content: JSON.stringify({ written: ['beinoni.docx', 'beinoni.pdf'] }) }
  })
  const question = 'Prepare a source sheet about the beinoni as Word and PDF'
  const events = await play(createExtractiveProvider(), {
    tools: [...tools, made],
    messages: [{ role: 'user', content: question }],
  })
  expect(JSON.parse(asked[2]?.slice('make_source_sheet '.length) ?? '{}')).toEqual({
    name: 'beinoni',
    title: 'Sources: beinoni',
    items: [{ ref: 'Beinoni 1' }, { ref: 'Other 5' }],
    formats: ['docx', 'pdf'],
  })
  expect(asked).toHaveLength(3)
  expect(textOf(events)).toContain('written to the file beinoni.docx, beinoni.pdf')
})

test('what an attached file says comes first, the passages that share words with the question', async () => {
  const file = (mark: string, text: string) => ({ ...english, mark, ref: `a.pdf, page ${mark}`, text })
  const passages = [
    file('[S8]', 'About something else.'),
    file('[S9]', 'The lamp shines, it does not argue.'),
  ]
  const reading = tool('read_file', async () => ({ content: JSON.stringify({ passages }) }))
  const { tools } = library([english])
  const events = await play(createExtractiveProvider(), {
    tools: [...tools, reading],
    firstCalls: [{ name: 'read_file', arguments: '{"name":"file-1"}' }],
    messages: [{ role: 'user', content: 'Why does the lamp not argue?' }],
  })
  const text = textOf(events)
  expect(text).toMatch(/of the attached file and of its library/)
  expect(text).toMatch(/> “The lamp shines, it does not argue.” \[S9\][\s\S]*\[S1\]/)
  expect(text).not.toContain('[S8]')
})

test('a file that could not be written is not claimed', async () => {
  const { text, asked } = await answerTo('Prepare a source sheet about the beinoni', [english], {
    full: true,
  })
  expect(asked).toHaveLength(3)
  expect(text).not.toContain('.md')
})

test('without tools, or when it may use none, it answers at once', async () => {
  for (const overrides of [{ tools: [] }, { toolChoice: 'none' as const }]) {
    const { asked, results } = await answerTo('What is a beinoni?', [english], overrides)
    expect([asked, results]).toEqual([[], []])
  }
})

test('only the newest question counts, and results of earlier turns are not used again', async () => {
  const { tools, asked } = library([english])
  const call = { id: 'call_1', name: 'search_sources', arguments: '{}' }
  await play(createExtractiveProvider(), {
    tools,
    messages: [
      { role: 'user', content: 'First question' },
      { role: 'assistant', content: '', toolCalls: [call] },
      { role: 'tool', callId: 'call_1', content: '{"passages":[]}' },
      { role: 'assistant', content: 'Nothing.', toolCalls: [] },
      { role: 'user', content: [{ type: 'text', text: 'Second question' }] },
    ],
  })
  expect(asked[0]).toContain('"query":"Second question"')
})

test('a client that asked for JSON gets an object, whole', async () => {
  const sampling = { responseFormat: { type: 'json_object' } }
  const { text } = await answerTo('What is a beinoni?', [english], { sampling })
  expect(JSON.parse(text)).toEqual({ answer: expect.stringContaining(english.text) })
})

test('results that are no JSON, or not of the expected shape, count as nothing found', async () => {
  for (const content of ['not json', '[]', 'null', '{"passages":7}', '{"passages":[{"mark":1}]}']) {
    const search = tool('search_sources', async () => ({ content }))
    const events = await play(createExtractiveProvider(), { tools: [search] })
    expect(textOf(events)).toMatch(/^The library of this server has no passage/)
  }
})

test('an aborted call says nothing', async () => {
  const request = {
    messages: [{ role: 'user' as const, content: 'q' }],
    tools: [],
    toolChoice: 'auto' as const,
    sampling: {},
  }
  const hear = vi.fn(() => true)
  const end = await createExtractiveProvider().ask(request, AbortSignal.abort(), hear)
  expect(end).toEqual({ type: 'error', kind: 'aborted', message: 'The turn was stopped.' })
  expect(hear).not.toHaveBeenCalled()
  const stop = new AbortController()
  const asked = createExtractiveProvider().ask(request, stop.signal, () => {
    stop.abort()
    return true
  })
  expect(await asked).toMatchObject({ type: 'error', kind: 'aborted' })
})

const word = fc.string({ unit: fc.constantFrom('a', 'ב', '😀', 'é', '-'), minLength: 1, maxLength: 12 })
const passageText = fc.array(fc.tuple(word, fc.constantFrom(' ', '. ', ': ', '\n')), {
  minLength: 1,
  maxLength: 300,
})

test('what stands between the quotation marks is the beginning of the passage, word for word', () => {
  fc.assert(
    fc.property(passageText, fc.constantFrom('en', 'he'), (words, language) => {
      const text = words.flat().join('')
      const passage: FoundPassage = { mark: '[S1]', ref: 'R 1', heRef: '', language, text, pointsTo: [] }
      const quoted = /^> [“„]([\s\S]*)” \[S1\]$/m.exec(composeAnswer('q', [passage]))?.[1] ?? ''
      const plain = text.trim().replaceAll(/\s*\n\s*/g, ' ')
      expect(plain.startsWith(quoted)).toBe(true)
      expect(quoted.isWellFormed()).toBe(true)
      expect(quoted.length).toBeGreaterThan(Math.min(plain.length - 1, 290))
      expect(composeFile('q', [passage])).toContain(quoted)
    }),
  )
})

test('the text it streams is the answer, in pieces', async () => {
  await fc.assert(
    fc.asyncProperty(passageText, async (words) => {
      const passage = { ...english, text: `x${words.flat().join('')}` }
      const { tools } = library([passage])
      const events = await play(createExtractiveProvider(), {
        tools,
        messages: [{ role: 'user', content: 'q' }],
      })
      const found = { ...passage, heRef: passage.he_ref, pointsTo: passage.points_to ?? [] }
      expect(textOf(events)).toBe(composeAnswer('q', [found]))
    }),
    { numRuns: 50 },
  )
})

test.each([
  ['דף מקורות על בינוני', 'בינוני', 'בינוני.md'],
  ['Write a file about teshuvah', 'teshuvah', 'teshuvah.md'],
  ['file', 'file', 'sources.md'],
])('%s searches for %s and would be the file %s', (question, search, name) => {
  expect([searchWords(question), fileNameFor(question)]).toEqual([search, name])
})
