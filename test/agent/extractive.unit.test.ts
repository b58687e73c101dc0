import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import {
  composeAnswer,
  composeFile,
  type FoundPassage,
  fileNameFor,
} from '../../src/agent/extractive/answer.ts'
import { createExtractiveProvider } from '../../src/agent/extractive/provider.ts'
import type { ContentPart } from '../../src/agent/provider.ts'
import { estimateTokens } from '../../src/agent/tokens.ts'
import { type Overrides, play, resultsOf, textOf, tool } from '../support/loop-kit.ts'

type Passage = {
  readonly mark: string
  readonly ref: string
  readonly he_ref: string
  readonly language: string
  readonly text: string
  readonly points_to?: readonly { readonly ref: string; readonly he_ref?: string; readonly url?: string }[]
  readonly coverage?: number
  readonly titled?: boolean
  readonly weak_match?: boolean
  readonly in_named_place?: boolean
  readonly best_part?: string
}

const english: Passage = {
  mark: '[S1]',
  ref: 'Beinoni 1',
  he_ref: 'בינוני א',
  language: 'en',
  text: 'The beinoni is one whose evil never prevails. He has not sinned.',
  points_to: [{ ref: 'Tanya 12', he_ref: 'תניא יב', url: 'https://a.test/12' }, { ref: 'Malachi 3:16' }],
}
const hebrew: Passage = { ...english, mark: '[S2]', language: 'he', text: 'הבינוני הוא שאין הרע גובר בו.' }
const other: Passage = { ...english, mark: '[S3]', ref: 'Other 5', text: 'Another place.', points_to: [] }

type LibraryOptions = { readonly full?: boolean; readonly remark?: object }

/** The tools of a library that finds the given passages, and a project that takes files unless it is full. */
function library(found: readonly Passage[], options: LibraryOptions = {}) {
  const asked: string[] = []
  // A search gives one version of a passage.
  const hits = [...new Map(found.toReversed().map((passage) => [passage.ref, passage])).values()].toReversed()
  const noting = (name: string, content: (args: Readonly<Record<string, unknown>>) => object) =>
    tool(name, async (args) => {
      asked.push(`${name} ${JSON.stringify(args)}`)
      return { content: JSON.stringify(content(args)) }
    })
  const tools = [
    noting('search_sources', () => ({ passages: hits, ...options.remark })),
    noting('read_source', ({ ref }) => ({ passages: found.filter((passage) => passage.ref === ref) })),
    noting('write_file', () => (options.full ? { error: 'The project is full.' } : { ok: true })),
  ]
  return { tools, asked }
}

async function answerTo(
  question: string,
  found: readonly Passage[],
  overrides: Overrides & LibraryOptions = {},
) {
  const { full = false, remark = {}, ...rest } = overrides
  const { tools, asked } = library(found, { full, remark })
  const events = await play(createExtractiveProvider(), {
    tools,
    messages: [{ role: 'user', content: question }],
    ...rest,
  })
  expect(events.at(-1)).toEqual({ type: 'turn.finished', reason: 'stop', notice: null })
  return { text: textOf(events), asked, results: resultsOf(events) }
}

test('it searches for the question and quotes the best passage with its mark', async () => {
  const { text, asked } = await answerTo('What is a beinoni?', [english, hebrew, other])
  expect(asked).toEqual([
    'search_sources {"query":"What is a beinoni?","limit":8}',
    'read_source {"ref":"Beinoni 1"}',
  ])
  expect(text).toContain(`> “${english.text}” [S1]`)
  expect(text).toContain(`> “${other.text}” [S3]`)
})

test('a place stands once in an answer, in the language of the question', async () => {
  const { text } = await answerTo('מהו בינוני?', [english, hebrew])
  expect(text).toMatch(/^הספרייה רק מצטטת קטעים/)
  expect(text).toContain(`בינוני א\n> „${hebrew.text}” [S2]`)
  expect(text).not.toContain(english.text)
  expect((await answerTo('What is a beinoni?', [hebrew, english])).text).not.toContain(hebrew.text)
})

test('a place that the library has in the other language only is quoted in that', async () => {
  expect((await answerTo('What is a beinoni?', [hebrew])).text).toContain(`> „${hebrew.text}” [S2]`)
})

test('only the places of the library are named to read on, as links', async () => {
  expect((await answerTo('What is a beinoni?', [english])).text).toMatch(
    /\n\nTo read on, in this library:\n- \[Tanya 12\]\(https:\/\/a\.test\/12\)$/,
  )
  expect((await answerTo('מהו בינוני?', [hebrew])).text).toMatch(/\n- \[תניא יב\]\(https:\/\/a\.test\/12\)$/)
})

test('further reading is listed in order, before passages of doubtful relevance', async () => {
  const places = [33, 6].map((n) => ({ ref: `Tanya ${n}`, url: `https://a.test/${n}` }))
  const found = { ...english, points_to: places }
  const near = (await answerTo('q', [{ ...found, coverage: 0.8 }])).text
  expect(near.indexOf('[Tanya 6]')).toBeLessThan(near.indexOf('[Tanya 33]'))
  expect((await answerTo('q', [{ ...found, coverage: 0.2 }])).text).not.toContain('To read on')
})

test('a work that the library lacks is said first, then passages of others are quoted', async () => {
  const remark = { not_in_library: '"Kuzari" is not in this library.' }
  const { text } = await answerTo('What does the Kuzari say of kings?', [english], { remark })
  expect(text).toMatch(/^"Kuzari" is not in this library\.\n\n[\s\S]*\[S1\]/)
})

test('passages far less relevant than the best one are left out', async () => {
  const best = { ...english, coverage: 0.9 }
  const { text } = await answerTo('What is a beinoni?', [best, { ...other, coverage: 0.3 }])
  expect(text).not.toContain(other.text)
})

test('the opening words say whether the passages have most words of the question', async () => {
  const openingFor = async (coverage: number) => (await answerTo('q', [{ ...english, coverage }])).text
  expect(await openingFor(0.7)).toContain('A search for the words of the question found, closest first:')
  expect(await openingFor(0.2)).toContain('A search found no passage with most words of the question.')
})

const mentions: Passage = {
  ...english,
  mark: '[S4]',
  ref: 'Essay 2',
  text: 'It mentions a lamp.',
  coverage: 0.9,
}
const article: Passage = {
  ...english,
  mark: '[S5]',
  ref: 'Lamp 1',
  text: 'A lamp gives light.',
  coverage: 0.5,
}

const titled = { ...article, titled: true }
const wick = { ...titled, mark: '[S6]', ref: 'Wick 1', text: 'A wick burns.' }
const inHebrew = { ...mentions, mark: '[S6]', language: 'he', he_ref: 'חיבור ב', text: 'נר אחד מאיר.' }
const essays = (coverage: number, ...numbers: readonly number[]) =>
  numbers.map((n) => ({ ...mentions, mark: `[S${n}]`, ref: `Essay ${n}`, coverage }))

const quotations: Readonly<Record<string, readonly [found: readonly Passage[], marks: string]>> = {
  'a passage that covers more comes before an article under no title asked': [[mentions, article], '[S4]'],
  'an article under the title asked comes before a passage that mentions it': [
    [mentions, titled],
    '[S5] [S4]',
  ],
  'an article under the title asked that covers little does not': [
    [mentions, { ...titled, coverage: 0.1 }],
    '[S4]',
  ],
  'articles on both subjects come before passages on one': [
    [titled, ...essays(0.5, 7, 8), wick],
    '[S5] [S6] [S7]',
  ],
  'beside an article that covers the whole question, another article is not preferred': [
    [{ ...titled, coverage: 1 }, mentions, { ...wick, coverage: 0.6 }],
    '[S5] [S4]',
  ],
  'beside an article that covers the whole question one more passage is quoted': [
    [{ ...titled, coverage: 1 }, ...essays(1, 6, 7, 8)],
    '[S5] [S6]',
  ],
  'a source in another language stays before an article under the title asked': [
    [inHebrew, titled],
    '[S6] [S5]',
  ],
  'beside one passage in the language asked, one in another language is quoted': [
    [{ ...article, coverage: 0.9 }, inHebrew],
    '[S5] [S6]',
  ],
  'beside two passages in the language asked, none in another language is quoted': [
    [{ ...article, coverage: 0.9 }, inHebrew, ...essays(0.9, 7)],
    '[S5] [S7]',
  ],
}

test.each(Object.entries(quotations))('%s', async (_, [found, marks]) => {
  expect((await answerTo('lamp?', found)).text.match(/\[S\d\]/g)?.join(' ')).toBe(marks)
})

test('every answer says that it only quotes, and sends questions for a ruling to a rabbi', async () => {
  const english = /This library only quotes passages\. It gives no halachic rulings [^\n]* ask a rabbi /
  const found = [article, { ...article, language: 'he', mark: '[S6]', he_ref: 'נר א', text: 'נר מאיר.' }]
  expect((await answerTo('Am I allowed to light a lamp on Shabbat?', found)).text).toMatch(english)
  expect((await answerTo('What is a lamp?', [])).text).toMatch(english)
  expect((await answerTo('What is a lamp?', [{ ...article, coverage: 0.2 }])).text).toMatch(english)
  expect((await answerTo('האם מותר לי להדליק נר בשבת?', found)).text).toContain('היא אינה פוסקת הלכה')
})

test('a place that the question names is shown alone, whatever else was found', async () => {
  const named = { ...other, in_named_place: true, coverage: 0 }
  const { text } = await answerTo('What does Other 5 say?', [{ ...english, coverage: 1 }, named])
  expect(text).toContain('At the place that the question names:')
  expect(text).toContain(other.text)
  expect(text).not.toContain(english.text)
})

test('of two places that the question names both are quoted, in reading order', async () => {
  const named = { ...other, points_to: [], in_named_place: true }
  const pieces = ['Other 7 §2', 'Other 7 §1', 'Other 5 §3'].map((ref, i) => ({
    ...named,
    ref,
    mark: `[S${i + 1}]`,
  }))
  const { text } = await answerTo('Compare Other 5 with Other 7', pieces)
  expect(text.match(/\[S\d\]/g)).toEqual(['[S3]', '[S1]'])
})

test('what does not exist is said first, then what stands at the place that exists', async () => {
  const remark = { does_not_exist: '"Other 9" does not exist in this library.' }
  const both = await answerTo('Other 5 and Other 9?', [{ ...other, in_named_place: true }, english], {
    remark,
  })
  expect(both.text).toMatch(/^"Other 9" does not exist in this library\.\n\n[\s\S]*Another place\./)
  const none = (await answerTo('Other 9?', [english], { remark })).text
  expect(none.startsWith(`${remark.does_not_exist}\n\n`)).toBe(true)
  expect(none).not.toContain('[S1]')
})

test('when nothing is found it says so, reads nothing and cites nothing', async () => {
  const { text, asked } = await answerTo('What is a quark?', [])
  expect(asked).toHaveLength(1)
  expect(text).toMatch(/^A search of the library found no passage that answers this/)
  expect(text).not.toMatch(/\[S\d/)
})

test('when nothing is found it says whom to ask for a book, in the language asked', async () => {
  const [english, hebrew] = [await answerTo('What is a quark?', []), await answerTo('מהו קוורק?', [])]
  expect(english.text).toMatch(/\n\nIf a book is missing, ask the person who runs this service to add it\.\n/)
  expect(hebrew.text).toMatch(/\n\nאם חסר ספר, אפשר לבקש ממי שמפעיל את השירות להוסיף אותו\.\n/)
  // A reader cannot run commands.
  expect(english.text + hebrew.text).not.toMatch(/`|npm/)
})

test('asked for a file it writes one with the quotations, and names it', async () => {
  const { text, asked } = await answerTo('Prepare a source sheet about the beinoni', [english])
  expect(asked[0]).toBe('search_sources {"query":"Prepare a source sheet about the beinoni","limit":8}')
  const written = JSON.parse(asked[2]?.slice('write_file '.length) ?? '{}') as {
    name: string
    content: string
  }
  expect(written.name).toBe('beinoni-1.md')
  expect(written.content).toContain(`## Beinoni 1\n\n> “${english.text}”`)
  expect(written.content).not.toContain('[S1]')
  expect(text).toContain(`written to the file ${written.name}`)
})

test('it makes a source sheet of what it found, in the formats that are asked for', async () => {
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
    name: 'beinoni-1',
    title: 'Sources: Beinoni 1',
    items: [{ ref: 'Beinoni 1' }, { ref: 'Other 5' }],
    formats: ['docx', 'pdf'],
  })
  expect(asked).toHaveLength(3)
  expect(textOf(events)).toContain('written to the file beinoni.docx, beinoni.pdf')
})

const attachedLetter = [
  { type: 'text' as const, text: 'Summarise the attached letter about joy' },
  { type: 'file' as const, fileId: 'file-1' },
]

/** The answer to a question with an attached letter, for what `read_file` says of it. */
async function answerAbout(
  read: object,
  asked: string | readonly ContentPart[] = attachedLetter,
): Promise<string> {
  const { tools } = library([english])
  const reading = tool('read_file', async () => ({ content: JSON.stringify(read) }))
  const events = await play(createExtractiveProvider(), {
    tools: [...tools, reading],
    firstCalls: [{ name: 'read_file', arguments: '{"name":"file-1"}' }],
    messages: [{ role: 'user', content: asked }],
  })
  return textOf(events)
}

test('passages of an attached file that share words with the question come first', async () => {
  const file = (mark: string, text: string) => ({ ...english, mark, ref: `a.pdf, page ${mark}`, text })
  const passages = [
    file('[S8]', 'About something else.'),
    file('[S9]', 'The lamp shines, it does not argue.'),
  ]
  const text = await answerAbout({ name: 'a.pdf', passages }, 'Why does the lamp not argue?')
  expect(text).toMatch(/^This library only quotes.*From the attached file and the library/)
  expect(text).toMatch(/> “The lamp shines, it does not argue.” \[S9\][\s\S]*\[S1\]/)
  expect(text).not.toContain('[S8]')
})

test('an attached file that cannot be read is said first, with the reason', async () => {
  const damaged = { error: 'No.', name: 'e.pdf', problem: 'It is damaged or no PDF at all.' }
  const text = await answerAbout(damaged)
  expect(text).toMatch(/^The file e\.pdf cannot be read\. It is damaged or no PDF at all\.\n\nThis library/)
  const inHebrew = [{ type: 'text' as const, text: 'סכם את המכתב' }, ...attachedLetter.slice(1)]
  expect(await answerAbout(damaged, inHebrew)).toMatch(/לא נקרא:\ne\.pdf\n\n/)
  expect(await answerAbout({ error: 'Too many calls.' })).toMatch(/^An attached file was not read\.\n\n/)
})

test('an attached file that is empty, or read in part, is said first', async () => {
  expect(await answerAbout({ name: 'e.txt', passages: [] })).toMatch(/^The file e\.txt has no text\./)
  const incomplete = 'Its last 3 pages were not read: that would take too long.'
  const passages = [{ ...english, text: 'Joy.', mark: '[S9]' }]
  const text = await answerAbout({ name: 'e.pdf', incomplete, passages })
  expect(text.startsWith(`Only a part of the file e.pdf was read. ${incomplete}`)).toBe(true)
})

test('an attached file without a tool that reads it is said first', async () => {
  const { tools } = library([english])
  const messages = [{ role: 'user' as const, content: attachedLetter }]
  const events = await play(createExtractiveProvider(), { tools, messages })
  expect(textOf(events)).toMatch(/^The attached files were not read/)
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

test('an answer within a token limit is cut at a sentence and ends with `length`', async () => {
  const { tools } = library([english])
  const messages = [{ role: 'user' as const, content: 'What is a beinoni?' }]
  const answer = async (maxTokens: number) => {
    const events = await play(createExtractiveProvider(), { tools, messages, sampling: { maxTokens } })
    return { text: textOf(events), end: events.at(-1) }
  }
  const whole = await answer(10_000)
  expect(whole.end).toMatchObject({ reason: 'stop' })
  const cut = await answer(Math.floor(estimateTokens(whole.text) / 2))
  expect(cut.end).toMatchObject({ reason: 'length' })
  expect(cut.text.length).toBeLessThan(whole.text.length)
  expect(whole.text.startsWith(cut.text)).toBe(true)
})

test('an answer ends before the first stop text, and JSON stays whole', async () => {
  const whole = (await answerTo('What is a beinoni?', [english])).text
  const stop = ['', 'nowhere', 'He has not sinned', 'evil never']
  const { text } = await answerTo('What is a beinoni?', [english], { sampling: { stop } })
  expect(text).toBe(whole.slice(0, whole.indexOf('evil never')))
  const sampling = { stop: ['evil never'], responseFormat: { type: 'json_object' } }
  const json = await answerTo('What is a beinoni?', [english], { sampling })
  expect(JSON.parse(json.text)).toEqual({ answer: expect.stringContaining(english.text) })
})

test('results that are no JSON, or not of the expected shape, count as nothing found', async () => {
  for (const content of ['not json', '[]', 'null', '{"passages":7}', '{"passages":[{"mark":1}]}']) {
    const search = tool('search_sources', async () => ({ content }))
    const events = await play(createExtractiveProvider(), { tools: [search] })
    expect(textOf(events)).toMatch(/^A search of the library found no passage/)
  }
})

test('an aborted call says nothing', async () => {
  const request = {
    messages: [{ role: 'user' as const, content: 'q' }],
    tools: [],
    toolChoice: 'auto' as const,
    sampling: {},
  }
  const onText = vi.fn(() => true)
  const end = await createExtractiveProvider().ask(request, AbortSignal.abort(), onText)
  expect(end).toEqual({ type: 'error', kind: 'aborted', message: 'The turn was stopped.' })
  expect(onText).not.toHaveBeenCalled()
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

const answerWith = (passage: FoundPassage, question = 'q') =>
  composeAnswer(question, [passage], { finding: 'most' })

test("text between quotation marks and ellipses is the passage's, word for word", () => {
  fc.assert(
    fc.property(passageText, fc.constantFrom('en', 'he'), fc.nat(1000), (words, language, from) => {
      const text = words.flat().join('')
      const bestPart = `…${text.slice(from, from + 200)}…`
      const passage: FoundPassage = {
        mark: '[S1]',
        ref: 'R 1',
        heRef: '',
        language,
        text,
        bestPart,
        pointsTo: [],
      }
      const quoted = /^> [“„]([\s\S]*)” \[S1\]$/m.exec(answerWith(passage))?.[1] ?? ''
      const plain = text.trim().replaceAll(/\s*\n\s*/g, ' ')
      const inner = quoted.replace(/^… /, '').replace(/ …$/, '')
      expect(plain.includes(inner)).toBe(true)
      expect(inner === plain).toBe(!/^… | …$/.test(quoted))
      expect(quoted.isWellFormed()).toBe(true)
      expect(inner.split(' ').length).toBeLessThanOrEqual(inner === plain ? 160 : 60)
      expect(composeFile('q', [passage])).toContain(quoted)
    }),
  )
})

const sentence = (i: number) => `Sentence ${i} says little and goes on for ten words.`
const long: FoundPassage = {
  mark: '[S1]',
  ref: 'R 1',
  heRef: '',
  language: 'en',
  text: Array.from({ length: 40 }, (_, i) => (i === 23 ? 'Here the lamp burns at noon.' : sentence(i))).join(
    ' ',
  ),
  pointsTo: [],
}

test('a long passage is quoted in whole sentences around its best part', () => {
  const text = answerWith({ ...long, bestPart: '…little and goes on for ten words. Here the lamp burns at…' })
  expect(text).toMatch(/> “… Sentence \d+ says [^”]*Here the lamp burns at noon\. [^”]*words\. …” \[S1\]/)
})

test('the best passage is quoted whole up to 160 words, further ones up to 75', () => {
  const text = Array.from({ length: 15 }, (_, i) => sentence(i)).join(' ')
  const passages = [1, 2].map((n) => ({ ...long, mark: `[S${n}]`, text }))
  const quoted = composeAnswer('q', passages, { finding: 'most' }).match(/^> .*$/gm) ?? []
  expect(quoted[0]).toBe(`> “${text}” [S1]`)
  expect(quoted[1]).toMatch(/ …” \[S2\]$/)
})

test('an excerpt begins with a sentence rather than with the end of the one before', () => {
  const words = (word: string) => Array.from({ length: 90 }, (_, i) => `${word}${i}`).join(' ')
  const text = `${words('word')}, and its end. Here begins the lamp, ${words('term')}, at the end of all.`
  expect(answerWith({ ...long, text, bestPart: '…term20 term21 term22…' })).toContain('> “… Here begins')
})

test('an excerpt does not end where a colon announces what is left out', () => {
  const filler = Array.from({ length: 12 }, (_, i) => sentence(i)).join(' ')
  const text = `Here the lamp burns at noon. It shows three things: ${filler}`
  expect(answerWith({ ...long, text }, 'Why a lamp at noon?')).not.toMatch(/: …”/)
})

test('an excerpt of a long Hebrew sentence begins and ends with a clause', () => {
  const words = Array.from({ length: 200 }, (_, i) => (i === 75 ? 'נרות' : i % 10 === 0 ? 'והנה' : 'מילה'))
  const text = words.join(' ')
  const answer = answerWith({ ...long, language: 'he', text }, 'מה הן נרות?')
  expect(answer).toMatch(/> „… והנה (?:מילה )+[^”]* נרות [^”]*מילה …” \[S1\]/)
})

test('an excerpt near the beginning of a passage begins with it', () => {
  const words = Array.from({ length: 200 }, (_, i) => (i === 36 ? 'נרות' : 'מילה'))
  const text = ['תחילה', ...words].join(' ')
  expect(answerWith({ ...long, language: 'he', text }, 'מה הן נרות?')).toContain('> „תחילה')
})

test('an excerpt is not cut directly beside a negation', () => {
  const words = Array.from({ length: 200 }, (_, i) => (i === 60 ? 'not' : `word${'x'.repeat(i % 7)}`))
  expect(answerWith({ ...long, text: words.join(' ') })).toMatch(/^> “(?:\w+ ){59}…” \[S1\]$/m)
})

test('without a best part it is quoted around the words of the question', () => {
  expect(answerWith(long, 'Why a lamp at noon?')).toContain('Here the lamp burns at noon.')
  expect(answerWith(long)).toContain('> “Sentence 0 says')
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
      const pointsTo = [{ ref: 'Tanya 12', heRef: 'תניא יב', url: 'https://a.test/12' }]
      expect(textOf(events)).toBe(answerWith({ ...passage, heRef: passage.he_ref, pointsTo }))
    }),
    { numRuns: 50 },
  )
})

test('a file is named after the best passage, in the letters of its language', () => {
  expect(fileNameFor([{ ...long, ref: 'Tanya, Part 1:2' }])).toBe('tanya-part-1-2.md')
  expect(fileNameFor([{ ...long, language: 'he', heRef: 'תניא, א' }])).toBe('תניא-א.md')
})

/** A conversation in which the last message is the question. */
function conversation(...questions: readonly string[]): NonNullable<Overrides['messages']> {
  const earlier = questions.slice(0, -1).flatMap((content) => [
    { role: 'user' as const, content },
    { role: 'assistant' as const, content: 'An answer.', toolCalls: [] },
  ])
  return [...earlier, { role: 'user', content: questions.at(-1) ?? '' }]
}

test('a question after another one is searched alone and with it', async () => {
  const { asked } = await answerTo('', [english], {
    messages: conversation('What is a farbrengen?', 'and a beinoni?'),
  })
  expect(asked.slice(0, 2)).toEqual([
    'search_sources {"query":"and a beinoni?","limit":8}',
    'search_sources {"query":"What is a farbrengen?\\nand a beinoni?","limit":8}',
  ])
})

test('a question of more than seven words is searched alone', async () => {
  const long = 'Who was the Rebbe of whom they tell that he never spoke?'
  const { asked } = await answerTo('', [english], { messages: conversation('What is a farbrengen?', long) })
  expect(asked.filter((call) => call.startsWith('search_sources'))).toHaveLength(1)
})

/** The answer to a second question, when the searches for it alone and with the first one find these. */
async function answerToSecond(alone: readonly Passage[], withFirst: readonly Passage[]) {
  const search = tool('search_sources', async ({ query }) => ({
    content: JSON.stringify({ passages: String(query).includes('\n') ? withFirst : alone }),
  }))
  const messages = conversation('What is a lamp?', 'who made it?')
  const text = textOf(await play(createExtractiveProvider(), { tools: [search], messages }))
  return { marks: text.match(/\[S\d\]/g) ?? [], text }
}

test('a question without a subject is answered from the reading that names a title, and says so', async () => {
  const { text, marks } = await answerToSecond([mentions], [titled])
  expect(text).toContain('A search for the words of this question and of those before found')
  expect(marks).toEqual(['[S5]', '[S4]'])
})

test('a question that names a title itself is answered alone', async () => {
  const { text, marks } = await answerToSecond([titled], [{ ...mentions, titled: true }])
  expect(text).toContain('A search for the words of the question found')
  expect(marks).toEqual(['[S5]'])
})

test('a question is answered alone if no reading names a title', async () => {
  expect((await answerToSecond([article], [mentions])).marks).toEqual(['[S5]'])
})
