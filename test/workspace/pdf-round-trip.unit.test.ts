import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readDocument } from '../../src/workspace/documents/read.ts'
import { renderers } from '../../src/workspace/sheets/renderers.ts'
import type { Sheet } from '../../src/workspace/sheets/sheet.ts'
import { operationsOf, unknownOperator } from '../../src/workspace/sheets/text-layer/content-tokens.ts'
import { cantillated, pointed, sheet, source, version } from '../support/sheets.ts'

const letters = [...'אבגדהוזחטיכלמנסעפצקרשתםןףךץ']
const vowels = [...'\u05b0\u05b1\u05b2\u05b3\u05b4\u05b5\u05b6\u05b7\u05b8\u05b9\u05ba\u05bb\u05c7', '']
const dots = ['\u05bc', '', '']

/** A letter with points that can stand on it, in the order in which people type them. */
const letter = fc
  .tuple(fc.constantFrom(...letters), fc.constantFrom('\u05c1', '\u05c2'), fc.constantFrom(...dots))
  .chain(([base, shin, dagesh]) =>
    fc.constantFrom(...vowels).map((vowel) => {
      const isPlain = 'םןףץ'.includes(base)
      const dot = 'אהחערםןףץ'.includes(base) ? '' : dagesh
      return (
        base +
        (base === 'ש' ? shin : '') +
        dot +
        (isPlain || (vowel === '\u05ba' && base !== 'ו') ? '' : vowel)
      )
    }),
  )
const word = fc.array(letter, { minLength: 1, maxLength: 7 }).map((all) => all.join(''))
const phrase = fc
  .array(fc.tuple(word, fc.constantFrom(' ', ' ', ' ', ', ', '. ', '\u05be', ' – ', '? ', '; ')), {
    minLength: 20,
    maxLength: 60,
  })
  .map((all) => all.flat().join('').trim())

const read = async (made: Sheet): Promise<string> => {
  const { text, problem } = await readDocument('pdf', Buffer.from(await renderers.pdf(made)), () => false)
  expect(problem).toBe('')
  return plain(text)
}
/** Canonical order of points (NFC). A line may break at a space, and after a hyphen or a dash. */
const plain = (text: string) =>
  text
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(/([-–/]) /g, '$1')

const inColumns = (texts: readonly string[], languages: readonly ('he' | 'en')[]) =>
  sheet({
    title: 'דף',
    intro: '',
    sources: [
      source({
        note: '',
        rows: texts.map((he) => ({ label: { he: 'א', en: '1' }, texts: { he, en: 'A text beside it.' } })),
        versions: languages.map((language) => version(language)),
      }),
    ],
  })

test('pointed Hebrew of an exported sheet is read back to the letter, point and space', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(phrase, { minLength: 5, maxLength: 5 }),
      fc.boolean(),
      async (texts, isWide) => {
        const text = await read(inColumns(texts, isWide ? ['he'] : ['he', 'en']))
        for (const one of texts) expect(text).toContain(plain(one))
      },
    ),
    { numRuns: 4, endOnFailure: true },
  )
})

test('pointed Hebrew of an exported conversation is read back to the letter, point and space', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(phrase, { minLength: 5, maxLength: 5 }), async (texts) => {
      const [question = '', ...answers] = texts.map((text) => text.replaceAll('\n', ' '))
      const text = await read(
        sheet({ title: 'שיחה', exchanges: [{ question, answer: answers.join('\n\n') }], sources: [] }),
      )
      for (const one of texts) expect(text).toContain(plain(one))
    }),
    { numRuns: 3, endOnFailure: true },
  )
})

test('points, accents, brackets, numbers and English words in one text are read back in order', async () => {
  const raised = 'מִתּוֹךְ 1,000 (Book of Lamps, 12–15) [א]; לֶךְ־לְךָ בְּ־3.5% אֱלֹהֶיךָ: "דְּרָכֶיךָ".'
  const accented = 'בְּרֵאשִׁ֖ית בָּרָ֣א וְהָאָ֗רֶץ הָיְתָ֥ה תֹ֙הוּ֙ וָבֹ֔הוּ וְחֹ֖שֶׁךְ וַיֹּ֥אמֶר וַֽיְהִי־אֽוֹר׃ צַדִּ֔יק רָשָׁ֛ע וְיִשְׂרָאֵ֜ל מִצְוֺתָֽי׃'
  for (const languages of [['he'], ['he', 'en']] as const) {
    const text = await read(inColumns([pointed, cantillated, raised, accented], languages))
    for (const one of [pointed, cantillated, raised, accented]) expect(text).toContain(plain(one))
  }
})

test('columns of one line stay apart, whatever their lines end with', async () => {
  const long = 'A text that goes on to a second line of its column, and then to a third one for certain.'
  for (const he of ['שֶׁמֶן 1:1', 'נֵר קָטָן', 'Oil and שֶׁמֶן']) {
    const rows = [{ label: { he: '', en: '' }, texts: { he, en: long } }]
    const text = await read(sheet({ intro: '', sources: [source({ rows, note: '' })] }))
    expect(text).toContain(`${plain(he)} A text that goes on`)
  }
})

test('an answer in both languages is read back in its order, with lists and tables', async () => {
  const answer = [
    'The word **שָׁלוֹם** means *peace and rest*, "וְאָהַבְתָּ לְרֵעֲךָ כָּמוֹךָ" (19:18).',
    'פְּסוּקִים: *נָטוּי* וְ**מֻדְגָּשׁ** מִן Book of *Lamps*, 12–15 [1].',
    '1. רִאשׁוֹן\n2. שֵׁנִי – with English',
    '- שְׁתַּיִם',
    '| עַמּוּדָה | Column |\n|---|---|\n| אֶחָד | one |',
  ].join('\n\n')
  const text = await read(
    sheet({ title: 'שִׂיחָה עִם English', exchanges: [{ question: 'מָה?', answer }], sources: [] }),
  )
  for (const one of [
    'שִׂיחָה עִם English',
    'The word שָׁלוֹם means peace and rest, "וְאָהַבְתָּ לְרֵעֲךָ כָּמוֹךָ" (19:18).',
    'פְּסוּקִים: נָטוּי וְמֻדְגָּשׁ מִן Book of Lamps, 12–15 [1].',
    '1. רִאשׁוֹן 2. שֵׁנִי – with English • שְׁתַּיִם עַמּוּדָה Column אֶחָד one',
  ])
    expect(text).toContain(plain(one))
})

test('contents with brackets in strings, or with an unknown token, lose no text', () => {
  const operators = (content: string) => [...operationsOf(content)].map(({ operator }) => operator)
  expect([...operationsOf('[(a(b)\\)) 20 <41>] TJ')]).toEqual([
    {
      operator: 'TJ',
      operands: [
        {
          kind: 'array',
          items: [
            { kind: 'string', text: 'a(b))' },
            { kind: 'number', value: 20 },
            { kind: 'string', text: 'A' },
          ],
        },
      ],
    },
  ])
  expect(operators('BT %x\nET')).toEqual(['BT', unknownOperator])
})
