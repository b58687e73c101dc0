import { describe, expect, it, vi } from 'vitest'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { readPassage } from '../../../src/sources/library/passages.ts'
import { nearestRefs } from '../../../src/sources/refs/nearest-refs.ts'
import { findNamedPassages } from '../../../src/sources/search/named/named-passages.ts'
import { Question } from '../../../src/sources/search/named/question.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { type ShelfRow, shelfLines, useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const tanya = 'Tanya, Part I; Likkutei Amarim'

/** Headings of real books with made-up texts: in Hebrew, and the addresses that stand under them. */
const shelf: readonly ShelfRow[] = [
  ['Tanya', 'Tanya, Title Page', 'תניא, דף השער', '1', '2'],
  ['Tanya', 'Tanya, Part I; Likkutei Amarim', 'תניא, חלק א; ליקוטי אמרים', '1:1', '31:1'],
  ['Tanya', tanya, 'תניא, חלק א; ליקוטי אמרים', '32:3', '32:4', '32:5', '32:6', '32:8', '53:1'],
  ['Tanya', 'Tanya, Part II; Shaar HaYichud VehaEmunah', 'תניא, חלק ב; שער היחוד והאמונה', '3:1', '3:2'],
  ['Tanya', 'Tanya, Part IV; Iggeret HaKodesh', 'תניא, חלק ד; אגרת הקודש', '20:1', '32:1'],
  [
    'Likutei Moharan',
    'Likutei Moharan',
    'ליקוטי מוהר״ן',
    '272:1:1',
    '282:1:1',
    '282:1:2',
    '282:2:1',
    '284:1:1',
  ],
  ['Likutei Moharan', 'Likutei Moharan, Part II', 'ליקוטי מוהר״ן, תנינא', '48:1:1', '48:2:7'],
  ['Kedushat Levi', 'Kedushat Levi, Letters of Approbation', 'קדושת לוי, הסכמות', '1'],
  ['Kedushat Levi', 'Kedushat Levi, Genesis, Bereshit', 'קדושת לוי, בראשית, בראשית', '1', '2'],
  ['Kedushat Levi', 'Kedushat Levi, Genesis, Noach', 'קדושת לוי, בראשית, נח', '1'],
  ['Noam Elimelekh', 'Noam Elimelekh, Sefer Bereshit, Noach', 'נועם אלימלך, ספר בראשית, נח', '2', '3'],
  ['Baal Shem Tov', 'Baal Shem Tov, Bereshit', 'בעל שם טוב, בראשית', '15:1'],
  ['Baal Shem Tov', 'Baal Shem Tov, Noach', 'בעל שם טוב, נח', '14:1', '15:1', '15:2'],
  ['Berakhot', 'Berakhot', 'ברכות', '2a:4', '2a:5', '2a:6', '2b:1', '2b:3', '2b:4', '3a:1'],
  ['Zohar', 'Zohar', 'זוהר', '1:15a:1', '1:15a:2', '1:15b:1'],
  ['Genesis', 'Genesis', 'בראשית', '1:1', '1:2', '2:1', '2:2'],
  ['Pirkei Avot', 'Pirkei Avot', 'משנה אבות', '2:4', '3:1'],
  ['Exodus Rabbah', 'Exodus Rabbah', 'שמות רבה', '1:1'],
  ['Four Columns', 'Four Columns', 'ארבעה עמודים', '1d:1', '2a:1', '2b:1', '2c:1', '2d:1', '3a:1', '9c:1'],
]
const lines = shelfLines(shelf)
/** Refs of one's own, in whatever way one likes to write them. */
const own = [
  { work: 'Wells', ref: 'Wells 1', he_ref: 'בארות פרק א', en: 'one' },
  { work: 'Wells', ref: 'Wells 2', he_ref: 'בארות פרק ב', en: 'two' },
  { work: 'Wells', ref: 'Wells, Afterword', he_ref: 'בארות, חלק ב', en: 'after' },
  { work: 'Wells', ref: 'Wells, Notes 7', he_ref: 'הערות שבסוף', en: 'notes' },
  { work: 'Wells', ref: 'Wells, Notes 8', he_ref: 'בארות (מהדורה שניה) דף ח', en: 'eight' },
  { work: 'Wells', ref: 'Wells, Long', he_ref: 'בארות, ארוך', en: 'A long sentence of words. '.repeat(120) },
]

const db = useLibrary([...lines, ...own])
const { missingIn } = libraryReader(db)

/** The refs of what a ref names, each once. */
async function read(ref: string): Promise<readonly string[] | { nearest: readonly string[] }> {
  const found = await readPassage(db.database.system, ref, {})
  return 'passages' in found ? [...new Set(found.passages.map((passage) => passage.ref))] : found
}
const first = async (ref: string): Promise<unknown> => {
  const found = await read(ref)
  return 'nearest' in found ? found : found[0]
}

describe('a ref is found in whatever way it is written:', () => {
  it.each([
    ['Tanya 32', `${tanya} 32:3`],
    ['Tanya,_Part_I;_Likkutei_Amarim.32.4', `${tanya} 32:4`],
    ['https://www.sefaria.org/Tanya%2C_Part_I%3B_Likkutei_Amarim.32.4?lang=bi', `${tanya} 32:4`],
    ['Alter Rebbe 32', `${tanya} 32:3`],
    ['תניא ל"ב', `${tanya} 32:3`],
    ['תניא פל"ב', `${tanya} 32:3`],
    ['תַּנְיָא פֶּרֶק לב', `${tanya} 32:3`],
    ['לקו"א פ\' לב', `${tanya} 32:3`],
    ['Shaar HaYichud 3', 'Tanya, Part II; Shaar HaYichud VehaEmunah 3:1'],
    ['Tanya, Part Two, The Gateway of Unity and Belief 3:2', 'Tanya, Part II; Shaar HaYichud VehaEmunah 3:2'],
    ['Tanya Iggeret HaKodesh 20', 'Tanya, Part IV; Iggeret HaKodesh 20:1'],
    ['אגה"ק כ', 'Tanya, Part IV; Iggeret HaKodesh 20:1'],
    ['LM I 282', 'Likutei Moharan 282:1:1'],
    ['Lekutey Moharan, Torah 282', 'Likutei Moharan 282:1:1'],
    ['ליקוטי מוהר"ן רפב', 'Likutei Moharan 282:1:1'],
    ['Likutei Moharan II 48', 'Likutei Moharan, Part II 48:1:1'],
    ['ליקוטי מוהר"ן תנינא מח', 'Likutei Moharan, Part II 48:1:1'],
    ['Besht Noach 15', 'Baal Shem Tov, Noach 15:1'],
    ['בעש"ט נח טו', 'Baal Shem Tov, Noach 15:1'],
    ['Kedushas Levi Bereishis 2', 'Kedushat Levi, Genesis, Bereshit 2'],
    ['קדושת לוי נח א', 'Kedushat Levi, Genesis, Noach 1'],
    ['נועם אלימלך נח ג', 'Noam Elimelekh, Sefer Bereshit, Noach 3'],
    ['Noam Elimelech 3', 'Noam Elimelekh, Sefer Bereshit, Noach 3'],
    ['Berachos 2a', 'Berakhot 2a:4'],
    ['Berakhot 2', 'Berakhot 2a:4'],
    ['ברכות ב א', 'Berakhot 2a:4'],
    ['ברכות ב ע"ב', 'Berakhot 2b:1'],
    ['ברכות ב׳ א:ה׳', 'Berakhot 2a:5'],
    ['Avot 2:4', 'Pirkei Avot 2:4'],
    ['Zohar 1:15a', 'Zohar 1:15a:1'],
    ['זוה"ק א׳:ט״ו ב', 'Zohar 1:15b:1'],
    ['Four Columns 2c', 'Four Columns 2c:1'],
    ['ארבעה עמודים ב׳ ד', 'Four Columns 2d:1'],
    ['Wells, Long 1', 'Wells, Long §1'],
  ])('%s', async (written, ref) => {
    expect(await first(written)).toBe(ref)
  })

  it.each([
    ['Tanya 32:4-6', ['32:4', '32:5', '32:6'].map((at) => `${tanya} ${at}`)],
    ['Tanya 32:5-7', ['32:5', '32:6'].map((at) => `${tanya} ${at}`)],
    ['Tanya 32:8-54', [`${tanya} 32:8`]],
    ['Tanya 32:6-99:1', ['32:6', '32:8', '53:1'].map((at) => `${tanya} ${at}`)],
    ['Tanya 32:6-3', [`${tanya} 32:6`]],
    ['תניא לב ד-ו', ['32:4', '32:5', '32:6'].map((at) => `${tanya} ${at}`)],
    ['תניא, חלק א; ליקוטי אמרים ל״ב:ד׳-ו׳', ['32:4', '32:5', '32:6'].map((at) => `${tanya} ${at}`)],
    ['ברכות ב׳ א:ה׳-ב׳ ב:ג׳', ['2a:5', '2a:6', '2b:1', '2b:3'].map((at) => `Berakhot ${at}`)],
    ['Four Columns 2b-2d', ['2b:1', '2c:1', '2d:1'].map((at) => `Four Columns ${at}`)],
    ['Four Columns 2', ['2a:1', '2b:1', '2c:1', '2d:1'].map((at) => `Four Columns ${at}`)],
    ['Kedushat Levi, Genesis, Noach', ['Kedushat Levi, Genesis, Noach 1']],
  ])('%s gives all of it', async (written, refs) => {
    expect(await read(written)).toEqual(refs)
  })

  it('a title names all that stands under it', async () => {
    const ofWork = (work: string) => lines.filter((line) => line.work === work).map((line) => line.ref)
    expect(await read('Kedushas Levi')).toEqual(ofWork('Kedushat Levi'))
    expect(await read('Likutei Moharan')).toEqual(ofWork('Likutei Moharan'))
    expect(await read('Kedushas Levi, Genesis')).toEqual(ofWork('Kedushat Levi').slice(1))
    expect(await read('קדושת לוי, בראשית')).toEqual(ofWork('Kedushat Levi').slice(1, 3))
    const kodesh = ['20:1', '32:1'].map((at) => `Tanya, Part IV; Iggeret HaKodesh ${at}`)
    expect(await read('Tanya, Iggeret HaKodesh')).toEqual(kodesh)
  })

  it('every Hebrew ref that the library prints', async () => {
    const printed = [...lines, ...own.filter((line) => line.ref !== 'Wells, Long')]
    for (const { ref, he_ref } of printed) expect([he_ref, await read(he_ref)]).toEqual([he_ref, [ref]])
    expect(await first('בארות, ארוך:2')).toBe('Wells, Long §2')
  })
})

describe('a query', () => {
  const search = async (text: string): Promise<readonly string[]> =>
    (await searchSources(db.database.system, { text, limit: 3 })).map((hit) => hit.ref)

  it.each([
    ['Besht Noach 15', 'Baal Shem Tov, Noach 15:1'],
    ['לקו"א פרק לב', `${tanya} 32:3`],
  ])('that is a ref is looked up: %s', async (text, ref) => {
    expect((await search(text))[0]).toBe(ref)
    expect(await missingIn(text)).toEqual([])
  })

  it.each([
    ...['10 sefirot', 'why are there 3 garments', 'garments of the soul 3', 'בעל שם טוב', 'אהבת ה׳'],
    'Noach 15',
    ...['what did the Tanya say in 1796', 'Introduction 5', '613', 'פרק לב'],
  ])('that only holds a number is none: %s', async (text) => {
    const question = new Question(db.database.system, text)
    expect((await findNamedPassages(db.database.system, question, undefined)).rows).toEqual([])
    expect(await missingIn(text)).toEqual([])
  })

  it('that is a ref without a place has the nearest places', async () => {
    const [place] = await missingIn('Tanya 99')
    expect(place?.nearest).toEqual(['53', '32', '31', '1'].map((chapter) => `${tanya} ${chapter}`))
  })
})

describe('a ref that does not exist', () => {
  it.each([
    ['Tanya 99', `${tanya} 53`],
    ['Tanya 32:7', `${tanya} 32:6`],
    ['תניא פרק צט', `${tanya} 53`],
    ['תניא לב צט', `${tanya} 32:8`],
    ['Likutei Moharan 999:1', 'Likutei Moharan 284:1'],
    ['Berakhot 99b', 'Berakhot 3a'],
    ['Four Columns 4a', 'Four Columns 3a'],
    ['Four Columns 9a:1', 'Four Columns 9c:1'],
    ['Kedushat Levi 5', 'Kedushat Levi, Genesis, Bereshit 2'],
    ['Kedushat Levi, Genesis 7', 'Kedushat Levi, Genesis, Bereshit 2'],
  ])('%s is offered what is nearest under its title', async (written, nearest) => {
    expect((await nearestRefs(db.database.system, written))[0]).toBe(nearest)
    expect(await read(written)).toMatchObject({ nearest: expect.arrayContaining([nearest]) })
  })

  it.each([
    ['Tanja Likutei Amorim 32:4', `${tanya} 32:4`],
    ['Kedushat Lewy Bereshet 9', 'Kedushat Levi, Genesis, Bereshit 2'],
    ['Likutei Moran 282', 'Likutei Moharan 282'],
    ['Noach 15', 'Baal Shem Tov, Noach 15'],
    ['Sefer Bereshet Noah 9', 'Noam Elimelekh, Sefer Bereshit, Noach 3'],
  ])('%s is offered a similar title at the nearest number', async (written, nearest) => {
    expect(await nearestRefs(db.database.system, written)).toContain(nearest)
  })

  it('is offered titles when it is one, and nothing when nothing is like it', async () => {
    expect((await nearestRefs(db.database.system, 'Kedusat Lewi'))[0]).toBe('Kedushat Levi')
    expect(await nearestRefs(db.database.system, 'Zzyzx Xylophone 4')).toEqual([])
  })

  it.each(['Exodus 1:1', 'Noach 15', 'Bereshit 1', 'Genesis Rabbah 1:1', 'Part II 48', 'Room 1'])(
    '%s is not taken for another work that begins or ends alike',
    async (written) => {
      expect(await read(written)).toHaveProperty('nearest')
    },
  )

  it('that several parts could mean names none of them, and all are offered', async () => {
    const parts = [
      'Letters of Approbation 1',
      'Genesis, Bereshit 1',
      'Genesis, Noach 1',
      'Genesis, Bereshit 2',
    ]
    expect(await read('Kedushat Levi 1')).toEqual({ nearest: parts.map((part) => `Kedushat Levi, ${part}`) })
  })

  it('in running text is held against its very title, not against similar ones', async () => {
    const { resolveRef } = verifyLookups(db.database.system)
    expect(await resolveRef('Tanya 54')).toEqual({
      exists: false,
      nearest: expect.arrayContaining([`${tanya} 53`]),
    })
    expect(await resolveRef('Likutei Moran 282')).toEqual({ exists: false, nearest: [] })
    expect((await resolveRef('Likutei Moran 282', true)).nearest[0]).toBe('Likutei Moharan 282')
  })
})

it('a hostile ref names no passage and sends at most eight statements', async () => {
  const hostile = [
    ...['Tanya '.repeat(100), `${'a '.repeat(250)}1`, `${'א׳ '.repeat(190)}א`, `${'א\'ב"ג '.repeat(80)}א`],
    ...['1:'.repeat(290), '%'.repeat(500), `Tanya ${'1-'.repeat(200)}1`, 'Tanya 9999999999999999999999'],
    'Tanya 1\u0000:\ud800',
  ]
  const query = vi.spyOn(db.database.systemPool, 'query')
  for (const ref of hostile) {
    query.mockClear()
    expect(await read(ref), ref.slice(0, 40)).toHaveProperty('nearest')
    expect(query.mock.calls.length, ref.slice(0, 40)).toBeLessThanOrEqual(8)
  }
  query.mockRestore()
})
