import { describe, expect, it } from 'vitest'
import { useLibraryDatabase } from '../../support/database.ts'
import { type ShelfRow, shelfLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const shelf: readonly ShelfRow[] = [
  ['Tanya', 'Tanya, Part I; Likkutei Amarim', 'תניא, חלק א; ליקוטי אמרים', '1', '2', '31', '32'],
  ['Tanya', 'Tanya, Part II; Shaar HaYichud VehaEmunah', 'תניא, חלק ב; שער היחוד והאמונה', '2'],
  ['Tanya', 'Tanya, Part III; Iggeret HaTeshuvah', 'תניא, חלק ג; אגרת התשובה', '2'],
  ['Etz Chaim', 'Etz Chaim', 'עץ חיים', '2', '31'],
  ['Sefer HaMiddot', 'Sefer HaMiddot', 'ספר המידות', '2'],
  ['Sefer Middot', 'Sefer Middot', 'ספר מידות', '3'],
  ['Heikhal', 'Heikhal', 'היכל', '2'],
  ['Or', 'Or HaChaim', 'אור החיים', '2'],
]

const db = useLibrary(shelfLines(shelf), useLibraryDatabase())
const { findIn, resolved } = libraryReader(db)

const refsIn = async (text: string) => (await findIn(text)).map(({ ref }) => ref)

const rasha = 'Concepts of Chassidut, Rasha 1'
const chapter = 'Tanya, Part I; Likkutei Amarim 2'
const gate = 'Tanya, Part II; Shaar HaYichud VehaEmunah 2'

describe('a title is found with or without the article of its words:', () => {
  it.each([
    ['מושגי חסידות, הרשע א', rasha],
    ['מושגי החסידות, הרשע א', rasha],
    ['מושגי החסידות, שבירת כלים א', 'Concepts of Chassidut, Shevirat HaKelim 1'],
    ['מושגי חסידות, אור גנוז א', 'Concepts of Chassidut, Or HaGanuz 1'],
    ['רבותינו מאורי החסידות, צמח צדק א', 'Masters of Chassidut, Tzemach Tzedek 1'],
    ['ספרי החסידות, צוואת ריב"ש א', "Books of Chassidut, Tzava'at HaRivash 1"],
    ['ספרי החסידות, ליקוטי ההלכות א', 'Books of Chassidut, Likkutei Halakhot 1'],
    ['הנהגות והליכות חסידות, התיקון הכללי א', 'Practices of Chassidut, Tikkun HaKlali 1'],
    ['לקוטי אמרים פרק ב', chapter],
    ['שער יחוד ואמונה פרק ב', gate],
    ['שער יחוד והאמונה פרק ב', gate],
    ['אגרת תשובה פרק ב', 'Tanya, Part III; Iggeret HaTeshuvah 2'],
    ['עץ החיים פרק ב', 'Etz Chaim 2'],
  ])('%s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
    expect(await refsIn(`וכן מבואר (${written}) שם`)).toEqual([ref])
  })

  it.each([
    ['התניא פרק ב', chapter],
    ['The Tanya 2', chapter],
    ['The Concepts of Chassidut, The Rasha 1', rasha],
    ['ההיכל פרק ב', 'Heikhal 2'],
  ])('alone: %s', async (written, ref) => {
    expect(await resolved(written)).toBe(ref)
  })
})

it('the title in the same spelling takes precedence', async () => {
  expect(await resolved('ספר המידות פרק ב')).toBe('Sefer HaMiddot 2')
  expect(await resolved('ספר מידות פרק ג')).toBe('Sefer Middot 3')
  expect(await resolved('ספר מידות פרק ב')).toBeUndefined()
})

describe('an article that is missing makes no ref in', () => {
  it.each([
    'עץ החיים לא נברא אלא בשבילו',
    'אור חיים לב האדם',
    'יכל ב׳ ימים',
    'אמר יכול פרק ב להיות',
    'המושגים האלה לא ידועים',
    'הנהגות חסידות א',
    'ספר תורה ב',
    'דרך חסידות, רשע א',
    'ילקוטי אמרים לב טהור',
  ])('%s', async (text) => {
    expect(await refsIn(text)).toEqual([])
  })
})
