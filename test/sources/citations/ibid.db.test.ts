import { describe, expect, it } from 'vitest'
import { useLibraryDatabase } from '../../support/database.ts'
import { libraryReader } from '../../support/library-reader.ts'

const db = useLibraryDatabase()

const library = libraryReader(db)
const verify = async (text: string) => {
  const { quotes, refs } = await library.verify(text)
  return { results: quotes.map(({ result, ref }) => [result, ref]), refs: refs.map(({ text: as }) => as) }
}

describe('ibid. after a quotation that ends with the name of a book means the ref before:', () => {
  const books = 'Books of Chassidut,'
  const beinoni = 'ראה מושגי החסידות, בינוני א. שם נאמר: "ולכן נקרא התניא גם ספר של בינונים" (שם).'
  const psalms = '(הנהגות והליכות החסידות, אמירת תהילים א). "אמירת תהילים הייתה חביבה על הבעל שם טוב" (שם).'
  it.each([
    [beinoni, 'Concepts of Chassidut, Beinoni 1'],
    [psalms, 'Practices of Chassidut, Tehillim 1'],
    ['(ספרי החסידות, ליקוטי תורה א). "ליקוטי תורה הוא המשכו של תורה אור" (שם).', `${books} Likkutei Torah 1`],
    ['(ספרי החסידות, תורה אור א). "והמשכו, על רוב שאר התורה, הוא ליקוטי תורה" (שם).', `${books} Torah Ohr 1`],
    [
      `See ${books} Likkutei Torah 1. “Gleanings of Torah, continues Torah Ohr” (ibid.).`,
      `${books} Likkutei Torah 1`,
    ],
  ])('%s', async (text, ref) => {
    expect((await verify(text)).results).toEqual([['verbatim', ref]])
  })

  it('and not a ref that stands at the end of the quoted words', async () => {
    const text = 'ראה מושגי החסידות, בינוני א. "כמו שמבואר במושגי החסידות, שמחה א" (שם).'
    expect((await verify(text)).results.map(([, ref]) => ref)).not.toContain(
      'Concepts of Chassidut, Simcha 1',
    )
  })
})

const other = 'Concepts of Chassidut, Devekut 1'

it('a ref that is only to be compared does not take the place of the one before', async () => {
  const right = 'Concepts of Chassidut, Simcha 1'
  for (const behind of ['; see also', ', but compare', '. See', '; ועיין']) {
    expect((await verify(`${right} says ${joy}${behind} ${other}.`)).results).toEqual([['verbatim', right]])
    expect((await verify(`${other} says ${joy}${behind} Concepts of Chassidut, Anavah 1.`)).results).toEqual([
      ['misattributed', other],
    ])
  }
})

describe('the ref before is meant by', () => {
  it.each([
    `See ${other}. More of it. “Joy here does not mean denying pain” (loc. cit.).`,
    `See ${other}. “Joy here does not mean denying pain” (op. cit.).`,
    `See ${other}. In the same entry: “Joy here does not mean denying pain”.`,
    `See ${other}. It says there: “Joy here does not mean denying pain”.`,
    `עיין ${other}. באותו ערך נאמר: "אין זו הכחשת הכאב".`,
    `עיין ${other}. ושם נאמר: "אין זו הכחשת הכאב".`,
  ])('%s', async (text) => {
    expect((await verify(text)).results).toEqual([['misattributed', other]])
    const right = text.replace(other, 'Concepts of Chassidut, Simcha 1')
    expect((await verify(right)).results).toEqual([['verbatim', 'Concepts of Chassidut, Simcha 1']])
  })

  it.each([
    `See ${other}. On the same day he wrote: “Joy here does not mean denying pain”.`,
    `See ${other}. There is more: “Joy here does not mean denying pain”.`,
    `ראה ${other}. שם טוב קנה לו: "אין זו הכחשת הכאב".`,
    `See Genesis 1:3. In the same chapter: “Joy here does not mean denying pain”.`,
  ])('but not by other words: %s', async (text) => {
    expect((await verify(text)).results).toEqual([['verbatim', undefined]])
  })
})

describe('a number in brackets is not joined with a title at the end of quoted words:', () => {
  it.each([
    '"שמבקש לעבור מן התניא" (פרק א).',
    '“for the one who comes from the Tanya” (ch. 1).',
    '„שמבקש לעבור מן התניא” (א).',
    'נקרא ספר של בינונים (שם).',
  ])('%s', async (text) => {
    expect((await verify(text)).refs).toEqual([])
  })

  it.each([
    ['נאמר ב"תניא" (פרק לב) כך', 'תניא" (פרק לב)'],
    ['it is in “Tanya” (ch. 32), so', 'Tanya” (ch. 32)'],
    ['ראה "ספר התניא", פרק לב.', 'ספר התניא", פרק לב'],
  ])('but with a title that is quoted alone: %s', async (text, written) => {
    expect((await verify(text)).refs).toEqual([written])
  })
})

const joy = '“Joy here does not mean denying pain”'

describe('of several refs in one bracket the right one confirms:', () => {
  it.each([
    `${joy} (see Concepts of Chassidut, Devekut 1; Concepts of Chassidut, Simcha 1)`,
    `${joy} (see also Concepts of Chassidut, Devekut 1, and cf. Concepts of Chassidut, Simcha 1).`,
    `${joy} (cf. Concepts of Chassidut, Simcha 1)`,
  ])('%s', async (text) => {
    expect((await verify(text)).results).toEqual([['verbatim', 'Concepts of Chassidut, Simcha 1']])
  })

  it.each([`${joy} (cf. Concepts of Chassidut, Devekut 1)`, `${joy} (see Concepts of Chassidut, Devekut 1)`])(
    'and the wrong one alone does not: %s',
    async (text) => {
      expect((await verify(text)).results).toEqual([['misattributed', 'Concepts of Chassidut, Devekut 1']])
    },
  )
})

it('a page behind a place does not hide the place', async () => {
  const result = async (place: string) =>
    (await verify(`${joy} (Concepts of Chassidut, ${place}, p. 38)`)).results.map(([found]) => found)
  expect(await result('Simcha 1')).toEqual(['verbatim'])
  expect(await result('Devekut 1')).toEqual(['misattributed'])
})
