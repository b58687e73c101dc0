import { beforeAll, describe, expect, it } from 'vitest'
import { useLibraryDatabase } from '../../support/database.ts'
import { importLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const elder = 'Letters of the Elder'
const [second, third] = [`${elder}, Letter 2 (6 Tevet 5642)`, `${elder}, Letter 23 (19 Kislev 5658)`]

/** Books whose parts are headings in words, as Markdown and other sources than Sefaria have them. */
const headings: readonly (readonly [work: string, hebrew: string, ...headings: string[]])[] = [
  [elder, 'אגרות הסבא', 'Letter 1 (3 Kislev 5641)', 'Letter 2 (6 Tevet 5642)', 'Letter 23 (19 Kislev 5658)'],
  ['The Long Road', '', 'Introduction', "Chapter 1: The Baker's Son", 'Chapter 2: Odessa', 'Chapter 3'],
  ['The Long Road', '', 'Chapter 3, The Song'],
  ['Gates of the Grove', '', 'Gate One', 'Gate Two', 'The Third Gate'],
  ['ספר המעיין', 'ספר המעיין', 'פרק א', 'פרק ב - על הדרך', 'פרק כ״ג'],
  ['קונטרס האבנים', '', 'אות א', 'אות ב'],
  ['מנחת יהודה', '', 'ספר בראשית, פרשת נח', 'ספר בראשית, פרשת לך לך', 'ספר ויקרא, פרשת אחרי מות – קדושים'],
  ['Sefer HaGan', 'ספר הגן', 'Part I', 'Part III'],
  ['Two Volumes', '', 'Part I, Chapter 1', 'Part I, Chapter 2', 'Part II, Chapter 1'],
]

/** Two passages under each heading; the second one ends with the words `second of` and the heading. */
const lines = headings.flatMap(([work, heTitle, ...names]) =>
  names.flatMap((name) =>
    (work === 'Sefer HaGan' ? ['15a', '127b'] : ['1', '2']).map((number) => ({
      work,
      he_title: heTitle,
      ref: `${work}, ${name} ${number}`,
      en: `These are the plain words that stand at number ${number} below ${name} of ${work}.`,
    })),
  ),
)
const numbered = [
  { work: 'Sayings of the Lamplighter', ref: 'Sayings of the Lamplighter 3', en: 'three' },
  { work: 'Tractate Songs', he_title: 'מסכת זמרים', ref: 'Tractate Songs 2a:1', en: 'a leaf' },
  { work: 'Tikkunei Gan', he_title: 'תיקוני גן', ref: 'Tikkunei Gan 2:40b', en: 'a leaf of part two' },
]

const db = useLibrary([...lines, ...numbered], useLibraryDatabase())
const { verify, findIn, resolved } = libraryReader(db)

const first = "The Long Road, Chapter 1: The Baker's Son"
describe('a heading is found by its number, in whatever way number and unit are written:', () => {
  it.each([
    ['The Long Road, ch. 1', first],
    ['The Long Road, Chapter I', first],
    ['The Long Road chapter one', first],
    ['The Long Road, first chapter', first],
    ['The Long Road 1', first],
    ['Long Road, ch. 1', first],
    ['The Long Road, ch. 1, par. 2', `${first} 2`],
    ['The Long Road 1:2', `${first} 2`],
    ['The Long Road, ch. 3', 'The Long Road, Chapter 3'],
    ['Letters of the Elder, Letter 2', second],
    ['Letters of the Elder, no. 23', third],
    ['Letters of the Elder, 6 Tevet 5642', second],
    ['אגרות הסבא, אגרת כ"ג', third],
    ['Gates of the Grove, gate 2', 'Gates of the Grove, Gate Two'],
    ['Gates of the Grove, Gate Three', 'Gates of the Grove, The Third Gate'],
    ['ספר המעיין פ"ב', 'ספר המעיין, פרק ב - על הדרך'],
    ['המעיין פרק ב', 'ספר המעיין, פרק ב - על הדרך'],
    ['קונטרס האבנים ב', 'קונטרס האבנים, אות ב'],
    ['Two Volumes, vol. 2, ch. 1', 'Two Volumes, Part II, Chapter 1'],
    ['Two Volumes 1:2', 'Two Volumes, Part I, Chapter 2'],
  ])('%s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
  })
})

describe('a leaf is found below its part, however that is written:', () => {
  it.each([
    ['Sefer HaGan 1:15a', 'Sefer HaGan, Part I 15a'],
    ['Sefer HaGan III 127b', 'Sefer HaGan, Part III 127b'],
    ['ספר הגן חלק א דף טו ע"א', 'Sefer HaGan, Part I 15a'],
    ['ספר הגן ח"ג קכז ע"ב', 'Sefer HaGan, Part III 127b'],
    ['ספר הגן ח"ג קכז:', 'Sefer HaGan, Part III 127b'],
    ['ספר הגן ג, קכז ב', 'Sefer HaGan, Part III 127b'],
    ['Tikkunei Gan II 40b', 'Tikkunei Gan 2:40b'],
  ])('%s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
  })
})

const noach = 'מנחת יהודה, ספר בראשית, פרשת נח'
describe('a weekly portion is found by its name in either language:', () => {
  it.each([
    ['מנחת יהודה נח ב', `${noach} 2`],
    ["מנחת יהודה פ' נח ב", `${noach} 2`],
    ['מנחת יהודה על פרשת נח, ב', `${noach} 2`],
    ['מנחת יהודה Noach 2', `${noach} 2`],
    ['מנחת יהודה, Parashat Lech Lecha', 'מנחת יהודה, ספר בראשית, פרשת לך לך'],
    ['מנחת יהודה אחרי-קדושים א', 'מנחת יהודה, ספר ויקרא, פרשת אחרי מות – קדושים 1'],
  ])('%s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
  })
})

describe('a title is found without a first word such as Sefer, and with another unit before its numbers:', () => {
  it.each([
    ['Songs 2a', 'Tractate Songs 2a'],
    ['זמרים ב ע"א', 'Tractate Songs 2a'],
    ['זמרים דף ב.', 'Tractate Songs 2a'],
    ['Sayings of the Lamplighter, saying 3', 'Sayings of the Lamplighter 3'],
  ])('%s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
  })
})

describe('a number that no heading has names no passage of another heading:', () => {
  it.each([
    'Gates of the Grove, gate 7',
    'The Long Road, chapter 9',
    'קונטרס האבנים אות ג',
    'Two Volumes, part 3',
    'The Long Road, part 2',
    'מנחת יהודה, פרשת בלק',
  ])('%s', async (written) => {
    expect(await resolved(written)).toBeUndefined()
  })
})

describe('in a work of hundreds of headings, a late one is found in whatever way its number is spelled:', () => {
  beforeAll(async () => {
    const early = Array.from({ length: 150 }, (_, i) => `Story ${i + 1}`)
    const late = [
      'סיפור קנ״ב',
      'Story CLX',
      'Story One Hundred Seventy',
      'The 181st Story',
      'Story 190: The End',
    ]
    const refs = [...early, ...late, 'פרשת ויצא'].map((name) => `Many Stories, ${name} 1`)
    await importLines(
      db.database,
      refs.map((ref) => ({ work: 'Many Stories', ref, en: 'A story.' })),
    )
  })
  it.each([
    ['Many Stories, story 152', 'Many Stories, סיפור קנ״ב'],
    ['Many Stories, story 160', 'Many Stories, Story CLX'],
    ['Many Stories 170', 'Many Stories, Story One Hundred Seventy'],
    ['Many Stories, tale 181', 'Many Stories, The 181st Story'],
    ['Many Stories, סיפור ק"צ', 'Many Stories, Story 190: The End'],
    ['Many Stories, Vayetze 1', 'Many Stories, פרשת ויצא 1'],
    ['Many Stories, story 199', undefined],
  ])('%s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
  })
})

it('a title that begins like a unit with a number is no number', async () => {
  const work = 'Notes of a Driver'
  await importLines(db.database, [{ work, ref: `${work} 1`, en: 'The driver sang.' }])
  expect(await resolved(work)).toBe(work)
})

describe('a quotation is compared with the heading whose number its sentence names:', () => {
  const words = '“the plain words that stand at number 2 below Chapter 1”'
  it.each([
    [`${words} (The Long Road, ch. 1)`, 'verbatim'],
    [`As The Long Road writes in chapter 1, ${words}.`, 'verbatim'],
    [`${words} (The Long Road, ch. 2)`, 'misattributed'],
    [`${words} (The Long Road, ch. 9)`, 'misattributed'],
  ])('%s', async (text, result) => {
    const { quotes } = await verify(text)
    expect(quotes.map((quote) => quote.result)).toEqual([result])
  })
})

it.each([
  ...[['פרשת נח', 'verbatim'] as const, ["פ' נח", 'verbatim'] as const],
  ...['פרשת לך לך', 'לך לך', 'Parashat Lech Lecha', 'אחרי-קדושים'].map(
    (one) => [one, 'misattributed'] as const,
  ),
])('a weekly portion behind a title is the place of the quotation before it: %s', async (portion, result) => {
  const words = '“the plain words that stand at number 2 below ספר בראשית, פרשת נח”'
  const text = `${words} (מנחת יהודה, ${portion})`
  const { quotes } = await verify(text)
  expect(quotes.map((quote) => quote.result)).toEqual([result])
})

it('such a ref is found in a sentence of either language', async () => {
  const refs = await findIn(
    'So it stands in The Long Road, ch. 2, and in Gates of the Grove (gate 2). וכן הוא באגרות הסבא, אגרת כ"ג, ובקונטרס האבנים אות ב.',
  )
  expect(refs.map(({ ref }) => ref)).toEqual([
    'The Long Road, Chapter 2: Odessa',
    'Gates of the Grove, Gate Two',
    third,
    'קונטרס האבנים, אות ב',
  ])
})
