import { describe, expect, it } from 'vitest'
import { useLibraryDatabase } from '../../support/database.ts'
import { type ShelfRow, shelfLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const tanya = 'Tanya, Part I; Likkutei Amarim'
const ofTanya = ['2:1', '3:1', '4:1', '32:1', '32:2', '32:3', '32:4', '33:1', '33:2']
/** Headings of real books with made-up texts. Their chapters 2 to 4 are not the paragraphs of chapter 32. */
const shelf: readonly ShelfRow[] = [
  ['Tanya', tanya, 'תניא, חלק א; ליקוטי אמרים', ...ofTanya],
  ['Likutei Moharan', 'Likutei Moharan', 'ליקוטי מוהר״ן', '2:1:1', '282:1:1', '282:1:2', '282:2:1'],
  ['Genesis', 'Genesis', 'בראשית', '1:1', '1:2', '1:3', '1:4', '1:5', '5:1'],
  ['Sichot HaRan', 'Sichot HaRan', 'שיחות הר״ן', '2', '3', '5'],
]
const rivers = [
  { work: 'Rivers', ref: 'Rivers 1', he_ref: 'נהרות א׳', he: 'מילים ארוכות על הנהר. '.repeat(400) },
  { work: 'Rivers', ref: 'Rivers 1:3', he_ref: 'נהרות א׳:ג׳', en: 'the third segment' },
]

const db = useLibrary([...shelfLines(shelf), ...rivers], useLibraryDatabase())
const { verify, findIn } = libraryReader(db)

/** What each ref of a text became: its ref without the title of the Tanya, or the word for what is wrong with it. */
const outcomes = async (text: string) =>
  (await findIn(text)).map(({ written, ref, outcome }) => [written, ref?.replace(`${tanya} `, '') ?? outcome])

const [first, third, perek] = [
  ['Tanya 32', '32'],
  ['paragraph 3', '32:3'],
  ['תניא פרק לב', '32'],
]

describe('a number with a small unit is a place within the ref before it:', () => {
  it.each([
    ['Tanya 32 is on love. Paragraph 3 says how.', [first, ['Paragraph 3', '32:3']]],
    ['In Tanya 32 we read so; paragraph 2 and 3 add to it.', [first, ['paragraph 2', '32:2']]],
    ['Tanya 32 says so. See section two, and ¶ 3.', [first, ['section two', '32:2'], ['¶ 3', '32:3']]],
    [
      '# Tanya 32\n\n- Paragraph 1: a\n- Paragraph 2: b',
      [first, ['Paragraph 1', '32:1'], ['Paragraph 2', '32:2']],
    ],
    ['Tanya 32 is on love. The Tanya adds in paragraph 3 how.', [first, ['paragraph 3', '32:3']]],
    ['Tanya 32 is on love. The Alter Rebbe adds more; see paragraph 3.', [first, ['paragraph 3', '32:3']]],
    ['Tanya 32 says so (ibid., paragraph 2).', [first, ['ibid., paragraph 2', '32:2']]],
    ['Tanya 32, paragraph 2, paragraph 3', [['Tanya 32, paragraph 2', '32:2'], third]],
    ['בתניא פרק לב מבואר. בפסקה ג נאמר עוד.', [perek, ['בפסקה ג', '32:3']]],
    ['בתניא פרק לב מבואר. ראה אות ב, וכן סעיף ג.', [perek, ['אות ב', '32:2'], ['סעיף ג', '32:3']]],
    ['בתניא פרק לב מבואר (שם, אות ב).', [perek, ['שם, אות ב', '32:2']]],
    [
      'Rivers 1 is long. See §3 there.',
      [
        ['Rivers 1', 'Rivers 1'],
        ['§3', 'Rivers 1 §3'],
      ],
    ],
  ])('%s', async (text, expected) => {
    expect(await outcomes(text)).toEqual(expected)
  })
})

const moharan = 'Likutei Moharan 282'
describe('a number with a small unit is a place beside the ref before it, if that has such a number:', () => {
  it.each([
    [
      'Genesis 1:3 is light. Verse 5 is day, verses 3-4 both.',
      ['Genesis 1:3', 'Genesis 1:5', 'Genesis 1:3-4'],
    ],
    ['Genesis 1, verse 3 has light, and verse 5 has day.', ['Genesis 1:3', 'Genesis 1:5']],
    ['שיחות הר"ן אות ה מלמד, ובאות ב נאמר.', ['Sichot HaRan 5', 'Sichot HaRan 2']],
    [`${moharan}:1:1 says so. Section 2 adds to it.`, [`${moharan}:1:1`, `${moharan}:2`]],
    [`${moharan}:1:1 says so. Paragraph 2 adds to it.`, [`${moharan}:1:1`, `${moharan}:1:2`]],
  ])('%s', async (text, expected) => {
    expect((await findIn(text)).map(({ ref }) => ref)).toEqual(expected)
  })
})

it.each(['paragraph 3 of Tanya 32', 'paragraph 3 of chapter 32 of the Tanya', 'פסקה ג של תניא פרק לב'])(
  'a ref after the number takes it in: %s',
  async (text) => {
    expect(await outcomes(text)).toEqual([[text, '32:3']])
  },
)

describe('a short ref that cannot be resolved is not called missing:', () => {
  it.each([
    ['Tanya 32 says so. See paragraph 99 and section 7.', [first]],
    ['Tanya 99 says so. See section 2.', [['Tanya 99', 'missing']]],
    ['The Tanya speaks of love. See section 99 below, and verse 77.', []],
    ['Tanya 32 cites Genesis. See verse 4 there.', [first]],
    ['Tanya 32. In Sefer HaChalom 3:4. See paragraph 2.', [first, ['Sefer HaChalom 3:4', 'unknown_work']]],
    ['Tanya 32-33 says so. See paragraph 2.', [['Tanya 32-33', '32-33']]],
    ['Tanya 32, paragraph 2, verse 77', [['Tanya 32, paragraph 2', '32:2']]],
    ['Tanya 32 is on love.\n\n## 99. More of it\n\n## 3. Love', [first]],
    ['Tanya 32 says that no one knows the Torah one learns.', [first]],
    ['בתניא פרק לב מבואר. ראה פסקה צט.', [['תניא פרק לב', '32']]],
  ])('%s', async (text, expected) => {
    expect(await outcomes(text)).toEqual(expected)
  })
})

it('a short ref more than 1,000 characters after a ref does not belong to it', async () => {
  const between = (count: number) => 'More is said. '.repeat(count)
  expect(await outcomes(`Tanya 32 says so. ${between(60)}See paragraph 2.`)).toHaveLength(2)
  expect(await outcomes(`Tanya 32 says so. ${between(80)}See paragraph 2.`)).toEqual([first])
})

describe('a place that the text names in full or by its ref stays missing:', () => {
  it.each([
    ['Tanya 99', ['Tanya 99']],
    ['Tanya 32 is on love, chapter 99 of it on fear.', ['chapter 99']],
    ['section 99 of the Tanya', ['section 99 of the Tanya']],
    ['Tanya 32 says so (ibid., paragraph 98).', ['ibid., paragraph 98']],
    ['בתניא פרק לב מבואר (שם, אות צ).', ['שם, אות צ']],
    ['Genesis 1, verse 3 has light, and verse 77 has day.', ['verse 77']],
    ['Kuzari, paragraph 3, and Tanya 32, ¶ 99', ['Kuzari, paragraph 3', 'Tanya 32, ¶ 99']],
  ])('%s', async (text, expected) => {
    const missing = (await findIn(text)).filter(({ outcome }) => outcome !== 'found')
    expect(missing.map(({ written }) => written)).toEqual(expected)
  })
})

it('a quotation beside a short ref is compared with the place within the ref before it', async () => {
  const words = 'words of tanya part i likkutei amarim at 32:3'
  const text = `Tanya 32 is on love. In paragraph 3 it says “${words}”. In paragraph 2 it says “${words}”.`
  const { quotes, refs } = await verify(text)
  expect(quotes.map(({ result, ref }) => [result, ref])).toEqual([
    ['verbatim', `${tanya} 32:3`],
    ['misattributed', `${tanya} 32:2`],
  ])
  expect(refs.map(({ exists }) => exists)).toEqual([true, true, true])
})
