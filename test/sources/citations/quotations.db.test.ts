import { describe, expect, it } from 'vitest'
import { checkCitations } from '../../../src/sources/citations/check.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { importLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const passages = [
  { ref: 'Garden 1:1', he: 'אמר הגנן לתלמידיו שישקו את הפרחים בכל בוקר קודם זריחת החמה' },
  { ref: 'Garden 1:2', he: 'כי המים הקרים יורדים אל השורש ומחיים את העלים היבשים' },
  { ref: 'Garden 1:3', he: 'ואין הגנן עוזב את השער פתוח אפילו שעה אחת בלילה הארוך' },
  { ref: 'Garden 2:1', he: 'אור אין סוף ברוך הוא ממלא את כל הגנים ואת כל השדות הרחבים' },
  { ref: 'Garden 2:2', en: 'The old gardener does not leave the northern gate open, if the wind is strong' },
  { ref: 'Garden 2:3', en: 'Every lantern in the valley burns until the miller closes his heavy door' },
]

const fillers = Array.from({ length: 60 }, (_, i) => ({
  ...{ work: 'Filler', ref: `Filler ${i + 1}`, license: 'own' },
  he: `פסקה נוספת על השדות ועל המים מספר ${i + 1}`,
  en: `another paragraph on the valley, number ${i + 1}`,
}))
const garden = passages.map((passage) => ({ work: 'Garden', he_title: 'הגן', license: 'own', ...passage }))

const db = useLibrary([...garden, ...fillers])
const { quotesOf } = libraryReader(db)

describe('a quotation over two passages', () => {
  it('is verbatim, with the range that holds it', async () => {
    const quote = 'קודם זריחת החמה כי המים הקרים יורדים אל השורש'
    expect(await quotesOf(`Garden 1:1 has “${quote}”.`)).toMatchObject([
      { result: 'verbatim', ref: 'Garden 1:1-2', original: quote },
    ])
    expect(await quotesOf(`It says “${quote}”.`)).toMatchObject([
      { result: 'verbatim', found_ref: 'Garden 1:1-2' },
    ])
  })

  it('does not belong to a place beside which it only stands', async () => {
    expect(await quotesOf('Garden 1:1 has “המים הקרים יורדים אל השורש ומחיים”.')).toMatchObject([
      { result: 'misattributed', ref: 'Garden 1:1', found_ref: 'Garden 1:2' },
    ])
  })
})

describe('without a ref', () => {
  it('an altered quotation is fuzzy, with its place and what differs', async () => {
    const text = '“Every lantern in the village burns until the miller closes his heavy door”'
    const differences = [{ kind: 'changed', quote: 'village', text: 'valley' }]
    expect(await quotesOf(text)).toMatchObject([{ result: 'fuzzy', found_ref: 'Garden 2:3', differences }])
    expect(await quotesOf(`Garden 1:1: ${text}`)).toMatchObject([
      { result: 'misattributed', ref: 'Garden 1:1', found_ref: 'Garden 2:3' },
    ])
  })

  it('an invented quotation is not found', async () => {
    const text = '“The valley burns no lantern for the one who walks alone at night”'
    expect(await quotesOf(text)).toMatchObject([{ result: 'not_found' }])
  })

  it('an abbreviation counts as its words, and is named', async () => {
    expect(await quotesOf('“אוא"ס ב"ה ממלא את כל הגנים ואת כל השדות”')).toMatchObject([
      {
        result: 'fuzzy',
        similarity: 1,
        found_ref: 'Garden 2:1',
        differences: [
          { kind: 'abbreviation', quote: 'אוא"ס', text: 'אור אין סוף' },
          { kind: 'abbreviation', quote: 'ב"ה', text: 'ברוך הוא' },
        ],
      },
    ])
  })
})

describe('a sentence behind a quotation that ends with a point', () => {
  const words = 'Every lantern in the valley burns until the miller closes.'
  it.each([
    ['speaks of another place', `“${words}” In Garden 1:1 the same is said of flowers.`],
    ['compares another place', `“${words}” That is like Garden 1:1, which speaks of flowers.`],
  ])('is not its source if it %s', async (_, text) => {
    expect(await quotesOf(text)).toMatchObject([{ result: 'verbatim', found_ref: 'Garden 2:3' }])
  })

  it('does not take its ref from the quotation before it', async () => {
    const text = `“${words}” The other says: “The old gardener does not leave the northern gate open” (Garden 2:2).`
    expect(await quotesOf(text)).toMatchObject([
      { result: 'verbatim', found_ref: 'Garden 2:3' },
      { result: 'verbatim', ref: 'Garden 2:2' },
    ])
  })
})

it('a note of the writer within a quotation is not quoted', async () => {
  const text = '“Every lantern in the *valley* burns until the miller closes (emphasis added)” (Garden 2:3)'
  expect(await quotesOf(text)).toMatchObject([{ result: 'verbatim', ref: 'Garden 2:3' }])
})

describe('words of another place are misattributed', () => {
  const words = '“Every lantern in the valley burns until the miller closes”'
  it.each([
    ['with a ref in quotation marks', `${words} (“Garden, chapter 1:1”)`],
    ['in JSON', `{"quote": "${words.slice(1, -1)}", "ref": "Garden, chapter 1:1"}`],
    ['with the mark of a file search', `${words}【3:0†source】\n\n【3:0†source】: Garden 1:1`],
    ['with a sentence that names their source', `${words}. This is from Garden 1:1.`],
    ['with a sentence behind a point', `${words.replace('”', '.”')} These words are found in Garden 1:1.`],
    ['with an item that names their source', `- **Quote:** ${words}\n- **Source:** Garden 1:1`],
    ['with an abbreviation in the brackets behind them', `${words} (cf. b. Garden 1:1)`],
    ['with a point at the end of them', `${words.replace('”', '.”')} (R. Moshe, Garden 1:1)`],
    ['with a line of a ref with a point', `${words}\n\nGarden, ch. 1:1`],
    ['with a footnote', `He says ${words}.[^1]\n\nMore.\n\n[^1]: Garden 1:1, and more.`],
    ['with a number in a list of sources', `${words} [1].\n\nSources:\n\n[1] Garden 1:1\n\n[2] Garden 2:3`],
    ['with a number in a numbered list', `He says ${words} [2].\n\nSources:\n1. Garden 2:3\n2. Garden 1:1`],
    ['with a Hebrew letter', `He says ${words} [ב].\n\nMore.\n\n[א] Garden 2:3\n[ב] Garden 1:1`],
    ['with a raised number in HTML', `He says ${words}<sup>1</sup>.\n\nMore.\n\n<sup>1</sup> Garden 1:1`],
    ['with a raised number and a list', `${words}<sup>2</sup> he says.\n\n1. Garden 2:3\n2. Garden 1:1`],
  ])('%s', async (_, text) => {
    expect(await quotesOf(text)).toMatchObject([
      { result: 'misattributed', ref: 'Garden 1:1', found_ref: 'Garden 2:3' },
    ])
  })

  it.each([
    `He says ${words}.[^1]\n\n[^1]: Garden 2:3.\n[^2]: Garden 1:1.`,
    `He says ${words}.[^3]\n\n[^1]: Garden 1:1.`,
    `He says ${words} [1].\n\n1. Garden 1:1 is on the watering of flowers.`,
    `Three things:\n\n1. Garden 1:1\n2. ${words}`,
    `He says ${words}.\n\n² Garden 1:1 has 5 m² of land.`,
    `${words}\n\nGarden, ch. 1:1:\n\n> another paragraph on the valley, number 7`,
  ])('but not by a footnote or heading of other words: %s', async (text) => {
    expect((await quotesOf(text))[0]).toMatchObject({ result: 'verbatim' })
  })
})

it('each of two quotations has its own ref', async () => {
  const [lantern, water] = ['“Every lantern in the valley burns”', '“המים הקרים יורדים אל השורש”']
  const results = async (a: string, b: string) =>
    (await quotesOf(`${lantern} (${a}) and ${water} (${b})`)).map(({ result }) => result)
  expect(await results('Garden 2:3', 'Garden 1:2')).toEqual(['verbatim', 'verbatim'])
  expect(await results('Garden 1:2', 'Garden 2:3')).toEqual(['misattributed', 'misattributed'])
})

it('a block of lines may end with its ref, or be led by it', async () => {
  const quote = 'Every lantern in the valley burns until the miller'
  for (const text of [
    `> ${quote}\n> (Garden 2:3)`,
    `> ${quote} (Garden 2:3)`,
    `Garden 2:3 says:\n\n> ${quote}`,
    `> ${quote}\n\n— Garden 2:3`,
  ]) {
    expect(await quotesOf(text)).toMatchObject([{ quote, result: 'verbatim', ref: 'Garden 2:3' }])
  }
})

it('a quotation with several numbers of sources may stand at any of them', async () => {
  const words = '“Every lantern in the valley burns until the miller closes”'
  for (const marks of ['[1][2]', '[1, 2]', '[2]']) {
    const text = `He says ${words} ${marks}.\n\nMore.\n\nSources:\n\n[1] Garden 1:1\n\n[2] Garden 2:3`
    expect(await quotesOf(text)).toMatchObject([{ result: 'verbatim', ref: 'Garden 2:3' }])
  }
})

it('of several refs above a list each item may have any', async () => {
  const [first, second] = ['Every lantern in the valley burns', 'אמר הגנן לתלמידיו שישקו את הפרחים']
  expect(await quotesOf(`Garden 2:3 and Garden 1:1 say:\n- “${first}”\n- “${second}”`)).toMatchObject([
    { quote: first, result: 'verbatim', ref: 'Garden 2:3' },
    { quote: second, result: 'verbatim', ref: 'Garden 1:1' },
  ])
})

it.each([
  ['items', '- REF\n  - “QUOTE”\n'],
  ['numbered items', '1. REF:\n   - “QUOTE”\n'],
  ['blocks', '- REF:\n\n  > QUOTE\n\n'],
  ['paragraphs', '- REF:\n\n  “QUOTE”\n\n'],
])('an item of a list leads the %s below it, not those above it', async (_, item) => {
  const [first, second] = ['Every lantern in the valley burns', 'אמר הגנן לתלמידיו שישקו את הפרחים']
  const listed = (ref: string, quote: string) => item.replace('REF', ref).replace('QUOTE', quote)
  const list = (a: string, b: string) => listed(a, first) + listed(b, second)
  expect(await quotesOf(list('Garden 2:3', 'Garden 1:1'))).toMatchObject([
    { quote: first, result: 'verbatim', ref: 'Garden 2:3' },
    { quote: second, result: 'verbatim', ref: 'Garden 1:1' },
  ])
  expect(await quotesOf(list('Garden 1:1', 'Garden 2:3'))).toMatchObject([
    { quote: first, result: 'misattributed', ref: 'Garden 1:1' },
    { quote: second, result: 'misattributed', ref: 'Garden 2:3' },
  ])
})

it('the words above a list lead each of its items', async () => {
  const [first, second] = ['Every lantern in the valley burns', 'until the miller closes his heavy door']
  const list = (ref: string) => `${ref} says:\n- “${first}”\n- “${second}”`
  expect(await quotesOf(list('Garden 2:3'))).toMatchObject([
    { quote: first, result: 'verbatim', ref: 'Garden 2:3' },
    { quote: second, result: 'verbatim', ref: 'Garden 2:3' },
  ])
  expect(await quotesOf(list('Garden 2:2'))).toMatchObject([
    { quote: first, result: 'misattributed', ref: 'Garden 2:2' },
    { quote: second, result: 'misattributed', ref: 'Garden 2:2' },
  ])
  expect(await quotesOf(`${list('Garden 2:2')} (Garden 2:3)`)).toMatchObject([
    { result: 'misattributed' },
    { result: 'verbatim', ref: 'Garden 2:3' },
  ])
})

it("a line directly above a block is its heading, not the former block's ref", async () => {
  const [first, second] = [
    'The old gardener does not leave the northern',
    'Every lantern in the valley burns',
  ]
  expect(await quotesOf(`Garden 2:2\n> “${first}”\n\nGarden 2:3\n> “${second}”`)).toMatchObject([
    { quote: first, result: 'verbatim', ref: 'Garden 2:2' },
    { quote: second, result: 'verbatim', ref: 'Garden 2:3' },
  ])
})

it.each([
  ['### Garden 2', '### Garden, first chapter'],
  ['## Second chapter of Garden', '## First chapter'],
  ['**Garden 2:2**', '**The first chapter of Garden**'],
  ['## הגן פרק ב', '## הגן פרק ראשון'],
])('a heading %j and a next one %j have the quotations below them', async (heading, next) => {
  const [first, second] = [
    'The old gardener does not leave the northern',
    'אמר הגנן לתלמידיו שישקו את הפרחים',
  ]
  expect(await quotesOf(`${heading}\n\n> ${first}\n\n${next}\n\n> ${second}`)).toMatchObject([
    { quote: first, result: 'verbatim' },
    { quote: second, result: 'verbatim' },
  ])
})

it('a quotation without a ref does not get that of the next heading', async () => {
  const quote = 'Every lantern in the valley burns until the miller'
  const text = `Two things are said:\n\n“${quote}”\n\n## First chapter of Garden\n\nOf watering.`
  expect(await quotesOf(text)).toMatchObject([{ quote, result: 'verbatim', found_ref: 'Garden 2:3' }])
})

it('a ref in quotation marks is no quotation, also when it is missing', async () => {
  expect(await quotesOf('"Garden chapter 112" does not exist in this library')).toEqual([])
})

it('an answer is not held to refs that stand within words it quotes from the library', async () => {
  const quote = 'the reaper sings as in Garden 99 at noon'
  await importLines(db.database, [
    { work: 'Harvest', ref: 'Harvest 1', en: `Listen: ${quote}.`, license: 'own' },
  ])
  const lookups = verifyLookups(db.database.system)
  const refsOf = async (text: string) =>
    (await checkCitations({ text, cited: [], lookups })).refs.map(({ ref, exists }) => [ref, exists])
  expect(await refsOf(`It says: “${quote}”.`)).toEqual([])
  expect(await refsOf('It says so in Garden 99.')).toEqual([['Garden 99', false]])
})
