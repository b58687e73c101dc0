import { describe, expect, it, vi } from 'vitest'
import { checkCitations } from '../../../src/sources/citations/check.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'
import { offeredSource } from '../../support/quote-library.ts'

const lantern = 'Every lantern in the valley burns until the miller closes his heavy door'
const verse = 'Serve the Lord with gladness, come before Him with singing'
const passages = [
  { work: 'Gate of Lanterns', he_title: 'שער הפנסים', ref: 'Gate of Lanterns 1', en: `${lantern}.` },
  {
    work: 'Songs of Harvest',
    he_title: 'שירי הקציר',
    ref: 'Songs of Harvest 1',
    en: 'The reapers sing at noon. The Tanya says that the soul is a small candle of the night. Nobody answers them.',
    he: 'הקוצרים שרים בצהריים תחת עץ התאנה הגדול שבשדה',
  },
  {
    work: 'Songs of Harvest',
    ref: 'Songs of Harvest 2',
    en: `As it is written (Psalms 100:2), “${verse}.” The eye is never sated “with seeing, nor the ear with hearing” (Ecclesiastes 1:8). Nobody sings at dusk.`,
    he: "הרואה אומר (תהלים ק, ב) עבדו את ה' בשמחה בואו לפניו ברננה. ועוד דבר אחר לגמרי",
  },
]
const miller = 'The miller counts his sacks in silence before the first bell'
/** Parts of a work that is too large to be read as one place. */
const parts = ['First Hall', 'Second Hall'].flatMap((part, i) =>
  Array.from({ length: 70 }, (_, n) => ({
    work: 'Palace of Grain',
    he_title: 'היכל הדגן',
    ref: `Palace of Grain, ${part} ${n + 1}`,
    he_ref: `היכל הדגן, ${i === 0 ? 'היכל ראשון' : 'היכל שני'} ${n + 1}`,
    en: i === 0 && n === 20 ? `${miller}.` : `Row ${n + 1} of the hall is bare.`,
  })),
)

const db = useLibrary(
  [...passages, ...parts].map((passage) => ({ license: 'own', he_title: '', ...passage })),
)
const { verify, quotesOf } = libraryReader(db)

describe('words of another work than the one that the text names without a place', () => {
  it.each([
    ['as the Tanya writes, “Q”', 'Tanya'],
    ['In the words of the Tanya, “Q”', 'Tanya'],
    ['התניא פותח במילים: "Q"', 'תניא'],
    ['*Tanya*: “Q”', 'Tanya'],
    ['“Q” (Tanya)', 'Tanya'],
    ['“Q”, says the Tanya.', 'Tanya'],
    ['“Q” — Noam Elimelech', 'Noam Elimelech'],
    ['כתוב בתניא: "Q"', 'תניא'],
    ['As Songs of Harvest says, “Q”', 'Songs of Harvest'],
  ])('are misattributed: %s', async (text, ref) => {
    expect(await quotesOf(text.replace('Q', lantern))).toMatchObject([
      { quote: lantern, result: 'misattributed', ref, found_ref: 'Gate of Lanterns 1' },
    ])
  })

  it.each([
    ['of the work itself', 'As Gate of Lanterns says, “Q”'],
    ['beside a title that only stands near', 'The Tanya is long. Much is said of it. “Q”'],
    ['after a title that is no subject', 'Unlike the Tanya, which is about souls, one book says “Q”'],
    ['of a book that texts quote without naming it', 'As Psalms says, “Q”'],
    ['after a colon that the title only precedes', 'He studied the Tanya: “Q” was his motto.'],
    ['of a person', 'As the Alter Rebbe says, “Q”'],
  ])('but words %s are verbatim', async (_, text) => {
    expect(await quotesOf(text.replace('Q', lantern))).toMatchObject([{ result: 'verbatim' }])
  })
})

describe('words of a verse that the library does not hold', () => {
  it.each([
    [`“${verse}” (Psalms 100:2)`, 'Psalms 100:2'],
    ['As Psalm 100:2 says, “come before Him with singing”.', 'Psalm 100:2'],
    ['"עבדו את ה׳ בשמחה בואו לפניו" (תהילים ק, ב)', 'תהילים ק, ב'],
    ['“with seeing, nor the ear with hearing” (Ecclesiastes 1:8)', 'Ecclesiastes 1:8'],
  ])('are verbatim where a passage quotes them from it: %s', async (text, ref) => {
    const [quote, ...more] = await quotesOf(text)
    expect(more).toEqual([])
    expect(quote).toMatchObject({ result: 'verbatim', ref, found_ref: 'Songs of Harvest 2' })
    expect(quote).not.toHaveProperty('start')
  })

  it.each([
    `“${verse}” (Psalms 100:3)`,
    `“${verse}” (Ecclesiastes 1:8)`,
    '“with seeing, nor the ear with hearing” (Psalms 100:2)',
    '“The reapers sing at noon” (Psalms 100:2)',
  ])('are misattributed with another verse: %s', async (text) => {
    expect(await quotesOf(text)).toMatchObject([{ result: 'misattributed' }])
  })
})

describe('words of another part of a work than the one that the text names without a number', () => {
  it.each([
    ['“Q” (Palace of Grain, Second Hall)', 'misattributed'],
    ['“Q” (*Palace of Grain*, Second Hall)', 'misattributed'],
    ['As the Palace of Grain (Second Hall) says, “Q”', 'misattributed'],
    ['בהיכל הדגן, היכל שני נאמר: “Q”', 'misattributed'],
    ['“Q” (Palace of Grain, First Hall)', 'verbatim'],
    ['As the Palace of Grain says, “Q”', 'verbatim'],
  ])('are misattributed, those of the part are verbatim: %s', async (text, result) => {
    expect(await quotesOf(text.replace('Q', miller))).toMatchObject([
      { result, found_ref: 'Palace of Grain, First Hall 21' },
    ])
  })
})

it('words that a passage quotes in the name of a work that is not held are verbatim there', async () => {
  expect(await quotesOf('The Tanya says: “the soul is a small candle of the night”.')).toMatchObject([
    { result: 'verbatim', found_ref: 'Songs of Harvest 1' },
  ])
  expect(await quotesOf('The Tanya says: “The reapers sing at noon.”')).toMatchObject([
    { result: 'misattributed', ref: 'Tanya', found_ref: 'Songs of Harvest 1' },
  ])
})

it('a mark beside a quotation decides, not a title in its sentence', async () => {
  const source = offeredSource({ ref: 'Gate of Lanterns 1', work: 'Gate of Lanterns', text: lantern })
  const cited = [{ source, n: 1 }]
  const text = `The Tanya writes, “${lantern}” [S1].`
  const { sources } = await checkCitations({ text, cited, lookups: verifyLookups(db.database.system) })
  expect(sources[0]?.verification).toMatchObject([{ result: 'verbatim' }])
})

it('a text is searched for titles once, whatever a verification looks for in it', async () => {
  const query = vi.spyOn(db.database.systemPool, 'query')
  const text = `The Tanya writes, “${lantern}”. The Gate of Lanterns, Simcha 4 says: “The miller sings at noon every day.”`
  await verify(text)
  const sent = query.mock.calls.map(([statement]) => (statement as unknown as { text: string }).text)
  query.mockRestore()
  expect(sent.filter((one) => one.includes("split_part(h.key, ' ', 1)"))).toHaveLength(1)
})
