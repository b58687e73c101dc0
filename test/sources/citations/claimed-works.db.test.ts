import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkCitations } from '../../../src/sources/citations/check.ts'
import { type Verification, verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let db: TestDatabase

const lantern = 'Every lantern in the valley burns until the miller closes his heavy door'
const passages = [
  { work: 'Gate of Lanterns', he_title: 'שער הפנסים', ref: 'Gate of Lanterns 1', en: `${lantern}.` },
  {
    work: 'Songs of Harvest',
    he_title: 'שירי הקציר',
    ref: 'Songs of Harvest 1',
    en: 'The reapers sing at noon. The Tanya says that the soul is a small candle of the night. Nobody answers them.',
    he: 'הקוצרים שרים בצהריים תחת עץ התאנה הגדול שבשדה',
  },
]

beforeAll(async () => {
  db = await createTestDatabase()
  async function* lines(): AsyncGenerator<string> {
    for (const passage of passages) yield JSON.stringify({ license: 'own', ...passage })
  }
  await importJsonl(db.database, lines(), { allowLicenses: [] })
})

afterAll(() => db.drop())

async function quotesOf(text: string): Promise<Verification['quotes']> {
  return (await verifyText(text, verifyLookups(db.database.system))).quotes
}

describe('words of another work than the one that the text names without a place', () => {
  it.each([
    ['as the Tanya writes, “Q”', 'Tanya'],
    ['The Tanya itself explains that “Q”.', 'Tanya'],
    ['In the words of the Tanya, “Q”', 'Tanya'],
    ['*Tanya*: “Q”', 'Tanya'],
    ['“Q” (Tanya)', 'Tanya'],
    ['“Q”, says the Tanya.', 'Tanya'],
    ['“Q” — Noam Elimelech', 'Noam Elimelech'],
    ['> Q\n\n— Noam Elimelech', 'Noam Elimelech'],
    ['כתוב בתניא: "Q"', 'תניא'],
    ['כמ"ש בתניא "Q"', 'תניא'],
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

it('words that a passage quotes in the name of a work that is not held are verbatim there', async () => {
  expect(await quotesOf('The Tanya says: “the soul is a small candle of the night”.')).toMatchObject([
    { result: 'verbatim', found_ref: 'Songs of Harvest 1' },
  ])
  expect(await quotesOf('The Tanya says: “The reapers sing at noon.”')).toMatchObject([
    { result: 'misattributed', ref: 'Tanya', found_ref: 'Songs of Harvest 1' },
  ])
})

it('a mark beside a quotation decides, not a title in its sentence', async () => {
  const source = {
    mark: 'S1',
    ref: 'Gate of Lanterns 1',
    heRef: '',
    title: 'Gate of Lanterns',
    work: 'Gate of Lanterns',
    language: 'en' as const,
    version: '',
    license: 'own',
    url: '',
    text: lantern,
  }
  const cited = [{ source, n: 1 }]
  const text = `The Tanya writes, “${lantern}” [S1].`
  const { sources } = await checkCitations({ text, cited, lookups: verifyLookups(db.database.system) })
  expect(sources[0]?.verification).toMatchObject([{ result: 'verbatim' }])
})
