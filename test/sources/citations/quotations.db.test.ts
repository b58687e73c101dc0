import { describe, expect, it } from 'vitest'
import { checkCitations } from '../../../src/sources/citations/check.ts'
import { type Verification, verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'
import { useLibrary } from '../../support/library-lines.ts'

const passages = [
  { ref: 'Garden 1:1', he: 'אמר הגנן לתלמידיו שישקו את הפרחים בכל בוקר קודם זריחת החמה' },
  { ref: 'Garden 1:2', he: 'כי המים הקרים יורדים אל השורש ומחיים את העלים היבשים' },
  { ref: 'Garden 1:3', he: 'ואין הגנן עוזב את השער פתוח אפילו שעה אחת בלילה הארוך' },
  { ref: 'Garden 2:1', he: 'אור אין סוף ברוך הוא ממלא את כל הגנים ואת כל השדות הרחבים' },
  { ref: 'Garden 2:2', en: 'The old gardener does not leave the northern gate open, if the wind is strong' },
  { ref: 'Garden 2:3', en: 'Every lantern in the valley burns until the miller closes his heavy door' },
]

function* lines(): Generator<object> {
  for (const passage of passages) yield { work: 'Garden', he_title: 'הגן', license: 'own', ...passage }
  for (let i = 1; i <= 60; i += 1)
    yield {
      work: 'Filler',
      ref: `Filler ${i}`,
      he: `פסקה נוספת על השדות ועל המים מספר ${i}`,
      en: `another paragraph on the valley, number ${i}`,
      license: 'own',
    }
}

const db = useLibrary(lines())

async function quotesOf(text: string): Promise<Verification['quotes']> {
  return (await verifyText(text, verifyLookups(db.database.system))).quotes
}

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
    expect(
      await quotesOf('“Every lantern in the village burns until the miller closes his heavy door”'),
    ).toMatchObject([
      {
        result: 'fuzzy',
        found_ref: 'Garden 2:3',
        differences: [{ kind: 'changed', quote: 'village', text: 'valley' }],
      },
    ])
  })

  it('an invented quotation is not found', async () => {
    expect(
      await quotesOf('“The valley burns no lantern for the one who walks alone at night”'),
    ).toMatchObject([{ result: 'not_found' }])
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
  expect(
    await quotesOf(
      '“Every lantern in the *valley* burns until the miller closes (emphasis added)” (Garden 2:3)',
    ),
  ).toMatchObject([{ result: 'verbatim', ref: 'Garden 2:3' }])
})

describe('words of another place are misattributed', () => {
  const words = '“Every lantern in the valley burns until the miller closes”'
  it.each([
    ['with a ref in quotation marks', `${words} (“Garden, chapter 1:1”)`],
    ['in JSON', `{"quote": "${words.slice(1, -1)}", "ref": "Garden, chapter 1:1"}`],
    ['with the mark of a file search', `${words}【3:0†source】\n\n【3:0†source】: Garden 1:1`],
    ['with a sentence that names their source', `${words}. This is from Garden 1:1.`],
    [
      'with a sentence behind their point',
      `${words.replace('”', '.”')} These words are found in Garden 1:1.`,
    ],
    ['with an item that names their source', `- **Quote:** ${words}\n- **Source:** Garden 1:1`],
    ['with an abbreviation in the brackets behind them', `${words} (cf. b. Garden 1:1)`],
    ['with a point at the end of them', `${words.replace('”', '.”')} (R. Moshe, Garden 1:1)`],
    ['with a line that names their source', `${words}\n\nSource: Garden 1:1`],
    ['with a line of a ref with a point', `${words}\n\nGarden, ch. 1:1`],
    ['with a footnote', `He says ${words}.[^1]\n\nMore.\n\n[^1]: Garden 1:1, and more.`],
    ['with a second footnote', `He says ${words}[^b].\n\n[^a]: Garden 2:3.\n[^b]: Garden 1:1.`],
    [
      'with a number in a list of sources',
      `He says ${words} [1].\n\nMore.\n\nSources:\n\n[1] Garden 1:1\n\n[2] Garden 2:3`,
    ],
    ['with a number in a numbered list', `He says ${words} [2].\n\nSources:\n1. Garden 2:3\n2. Garden 1:1`],
    ['with a number in round brackets', `He says ${words} (2).\n\nMore.\n\n(1) Garden 2:3\n(2) Garden 1:1`],
    ['with a Hebrew letter', `He says ${words} [ב].\n\nMore.\n\n[א] Garden 2:3\n[ב] Garden 1:1`],
    ['with a raised number in HTML', `He says ${words}<sup>1</sup>.\n\nMore.\n\n<sup>1</sup> Garden 1:1`],
    [
      'with a raised number in HTML and a list',
      `${words}<sup>2</sup> he says.\n\n1. Garden 2:3\n2. Garden 1:1`,
    ],
    ['with a raised number', `He says ${words}.²\n\nMore.\n\n¹ Garden 2:3\n² Garden 1:1`],
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
    `${words}\n\nGarden 1:1 goes on with the same thought.`,
    `${words}\n\nGarden, ch. 1:1:\n\n> another paragraph on the valley, number 7`,
  ])('but not by a footnote or heading of other words: %s', async (text) => {
    expect((await quotesOf(text))[0]).toMatchObject({ result: 'verbatim' })
  })
})

describe('in rare quotation marks', () => {
  it.each(['»…«', '›…‹', '‹…›', '「…」', '″…″', '＂…＂', "``…''", ',,…"', '“…„', '<<…>>', '&quot;…&quot;'])(
    'words of another place are misattributed: %s',
    async (marks) => {
      const text = marks.replace('…', 'Every lantern in the valley burns until')
      expect(await quotesOf(`Garden 1:1: ${text}`)).toMatchObject([
        {
          result: 'misattributed',
          quote: 'Every lantern in the valley burns until',
          found_ref: 'Garden 2:3',
        },
      ])
    },
  )
})

describe('misattributed is', () => {
  it('a close quotation that stands at another place', async () => {
    expect(
      await quotesOf(
        'Garden 1:1: “Every lantern in the village burns until the miller closes his heavy door”',
      ),
    ).toMatchObject([{ result: 'misattributed', ref: 'Garden 1:1', found_ref: 'Garden 2:3' }])
  })

  it('each of two quotations by its own ref', async () => {
    const right =
      '“Every lantern in the valley burns” (Garden 2:3) and “המים הקרים יורדים אל השורש” (Garden 1:2)'
    expect((await quotesOf(right)).map(({ result }) => result)).toEqual(['verbatim', 'verbatim'])
    const crossed =
      '“Every lantern in the valley burns” (Garden 1:2) and “המים הקרים יורדים אל השורש” (Garden 2:3)'
    expect((await quotesOf(crossed)).map(({ result }) => result)).toEqual(['misattributed', 'misattributed'])
  })
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
  [
    'items below it',
    (ref: string, quotes: readonly string[]) => [`- ${ref}`, ...quotes.map((one) => `  - “${one}”`)],
  ],
  [
    'numbered items below it',
    (ref: string, quotes: readonly string[]) => [`1. ${ref}:`, ...quotes.map((one) => `   - “${one}”`)],
  ],
  [
    'blocks below it',
    (ref: string, quotes: readonly string[]) => [`- ${ref}:\n`, ...quotes.map((one) => `  > ${one}\n`)],
  ],
  [
    'paragraphs below it',
    (ref: string, quotes: readonly string[]) => [`- ${ref}:\n`, ...quotes.map((one) => `  “${one}”\n`)],
  ],
])('an item of a list leads the %s, not those above it', async (_, listed) => {
  const [first, second] = ['Every lantern in the valley burns', 'אמר הגנן לתלמידיו שישקו את הפרחים']
  const list = (a: string, b: string) => [...listed(a, [first]), ...listed(b, [second])].join('\n')
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
    'The old gardener does not leave the northern gate',
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
    'The old gardener does not leave the northern gate',
    'אמר הגנן לתלמידיו שישקו את הפרחים',
  ]
  expect(await quotesOf(`${heading}\n\n> ${first}\n\n${next}\n\n> ${second}`)).toMatchObject([
    { quote: first, result: 'verbatim' },
    { quote: second, result: 'verbatim' },
  ])
})

it('a quotation without a ref does not get that of the next heading', async () => {
  const quote = 'Every lantern in the valley burns until the miller'
  const found = await quotesOf(
    `Two things are said:\n\n“${quote}”\n\n## First chapter of Garden\n\nOf watering.`,
  )
  expect(found).toMatchObject([{ quote, result: 'verbatim', found_ref: 'Garden 2:3' }])
})

it('a ref in quotation marks is no quotation, also when it is missing', async () => {
  expect(await quotesOf('"Garden chapter 112" does not exist in this library')).toEqual([])
})

it('an answer is not held to refs that stand within words it quotes from the library', async () => {
  const quote = 'the reaper sings as in Garden 99 at noon'
  async function* lines() {
    yield JSON.stringify({ work: 'Harvest', ref: 'Harvest 1', en: `Listen: ${quote}.`, license: 'own' })
  }
  await importJsonl(db.database, lines(), { allowLicenses: [] })
  const lookups = verifyLookups(db.database.system)
  const refsOf = async (text: string) =>
    (await checkCitations({ text, cited: [], lookups })).refs.map(({ ref, exists }) => [ref, exists])
  expect(await refsOf(`It says: “${quote}”.`)).toEqual([])
  expect(await refsOf('It says so in Garden 99.')).toEqual([['Garden 99', false]])
})
