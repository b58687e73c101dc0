import { describe, expect, it } from 'vitest'
import { resolveRef } from '../../../src/sources/refs/ref-lookup.ts'
import { useLibrary } from '../../support/library-lines.ts'
import { libraryReader } from '../../support/library-reader.ts'

const verses = ['1:1', '23:1', '23:2', '23:4', '115:9', '115:10'].map((place) => ({
  ...{ work: 'Psalms', he_title: 'תהילים', ref: `Psalms ${place}` },
  en: `The still water of ${place} runs beside the green field.`,
}))
const lines = [
  ...verses,
  { work: 'Tzafnat Paneach', ref: 'Tzafnat Paneach 3', en: 'The granary is opened in the seventh year.' },
  { work: 'Genesis', ref: 'Genesis 1:1', en: 'In the beginning was the first line.' },
]

const db = useLibrary(lines)
const { verify, findIn } = libraryReader(db)

const refs = async (text: string) =>
  (await findIn(text)).map(({ written, outcome, ref }) => [written, ref ?? outcome])

describe('a held work answers to every name of it:', () => {
  it.each([
    ['Ps. 23:2', 'Psalms 23:2'],
    ['Ps 23:2', 'Psalms 23:2'],
    ['Ps 23:3', 'missing'],
    ['Psalm 24', 'missing'],
    ['Pss. 23', 'Psalms 23'],
    ['Tehillim 23:2', 'Psalms 23:2'],
    ['Ps. XXIII', 'Psalms 23'],
    ['Ps. xxiii. 4', 'Psalms 23:4'],
    ['Ps. xxiii. 3', 'missing'],
    ['Ps. xxiii. 1-4', 'Psalms 23:1-4'],
    ['Ps. xxiii, v. 4', 'Psalms 23:4'],
    ['Ps. 23:1 f', 'Psalms 23:1-2'],
    ['Psalm 23, verse 1', 'Psalms 23:1'],
    ['תהלים מזמור א', 'Psalms 1'],
    ["תה' כג, ד", 'Psalms 23:4'],
    ['Tzofnas Paneach 3', 'Tzafnat Paneach 3'],
    ['צפנת פענח ג', 'Tzafnat Paneach 3'],
    ['Bereshit 1:1', 'Genesis 1:1'],
  ])('%s', async (written, ref) => {
    expect(await refs(`(${written})`)).toEqual([[written, ref]])
  })

  it('in a sentence', async () => {
    expect(await refs('In Psalm 1 we read:')).toEqual([['Psalm 1', 'Psalms 1']])
    expect(await refs('In Psalms XXIII. 4 people came.')).toEqual([['Psalms XXIII', 'Psalms 23']])
  })

  it('but a name that is also a weekly portion needs a chapter and a verse', async () => {
    expect(await resolveRef(db.database.system, 'Bereshit 1')).toBeUndefined()
  })
})

describe('in a work without leaves, two Hebrew numbers are a chapter and a verse:', () => {
  it.each([
    ['תהילים כג, ב', 'Psalms 23:2'],
    ['תהילים כג, ג', 'missing'],
    ['תהלים כג, א-ב', 'Psalms 23:1-2'],
    ['תהלים כג, ג-ד', 'missing'],
    ['תהילים דף כג ע"ב', 'unplaced'],
  ])('%s', async (written, ref) => {
    expect(await refs(`(${written})`)).toEqual([[written, ref]])
  })

  it('and the verses beside it are nearest', async () => {
    const [missing] = await findIn('(תהילים כג, ג)')
    expect(missing?.nearest.slice(0, 2)).toEqual(['Psalms 23:2', 'Psalms 23:4'])
  })
})

describe('a number after "ibid." is one of the last level:', () => {
  it.each([
    ['(Psalms 23:2; ibid., vv. 1-2)', 'Psalms 23:1-2'],
    ['(Psalms 23:2) (ibid. 4)', 'Psalms 23:4'],
    ['(Psalms 23:2) (ibid., 3)', 'missing'],
    ["(תהלים כג, ב) (שם, פס' ד)", 'Psalms 23:4'],
    ['(תהלים כג, ב; שם ד)', 'Psalms 23:4'],
    ['נאמר (תהלים כג, ב) כך, וגם (שם ד).', 'Psalms 23:4'],
    ['(תהלים כג, ב) (שם א-ב)', 'Psalms 23:1-2'],
    ['(תהלים כג, ב) (שם קטו)', 'Psalms 115'],
    ['(תהלים כג, ב) (שם קטו, ט)', 'Psalms 115:9'],
  ])('%s', async (text, ref) => {
    expect((await refs(text)).map(([, found]) => found)).toEqual(['Psalms 23:2', ref])
  })
})

describe('a unit is read in its abbreviations:', () => {
  it.each(['par.', 'paras.', 'pt.', 'no.', 'sect.', 'subsec.', 'vs.', 'v.', 'vv.'])('%s', async (unit) => {
    const ref = `Psalms, chap. 23, ${unit}`
    expect(await refs(`(${ref} 4)`)).toEqual([[`${ref} 4`, 'Psalms 23:4']])
    expect(await refs(`(${ref} 7)`)).toEqual([[`${ref} 7`, 'missing']])
  })

  it('of letters and leaves', async () => {
    expect(await refs('(Psalms, ltr. 23)')).toEqual([['Psalms, ltr. 23', 'Psalms 23']])
    expect(await refs('(Psalms, fol. 23)')).toEqual([['Psalms, fol. 23', 'unplaced']])
  })
})

it('a page behind a chapter is no verse of it, and its words are looked for in the work', async () => {
  const { quotes, refs: named } = await verify(
    '“The still water of 23:2 runs beside the green field” (Psalms 23, p. 38)',
  )
  expect(quotes.map(({ result }) => result)).toEqual(['verbatim'])
  expect(named.map(({ exists }) => exists)).toEqual([false])
})
