import { describe, expect, it } from 'vitest'
import { partsInText } from '../../../src/sources/refs/in-text/parts-in-text.ts'
import { useLibraryDatabase } from '../../support/database.ts'
import { libraryReader } from '../../support/library-reader.ts'

const db = useLibraryDatabase()
const { findIn } = libraryReader(db)

const parts = async (text: string) => {
  const found = await findIn(text)
  return [...found, ...(await partsInText(db.database.system, text, found))].map(
    ({ asked, outcome }) => [asked, outcome] as const,
  )
}

describe('a part that a work lacks is missing:', () => {
  it.each([
    ['Concepts of Chassidut, Gevurah 1', 'Concepts of Chassidut, Gevurah 1'],
    ['“Never written” (Concepts of Chassidut, Gevurah 1).', 'Concepts of Chassidut, Gevurah 1'],
    ['the entry Gevurah in Concepts of Chassidut', 'Concepts of Chassidut, Gevurah'],
  ])('%s', async (text, asked) => {
    expect(await parts(text)).toEqual([[asked, 'missing']])
  })
})

describe('nothing is missing in:', () => {
  it.each([
    'Concepts of Chassidut, a book of 40 entries',
    'Concepts of Chassidut, which speaks of Joy in 3 places',
    'In Concepts of Chassidut, Rabbi Nachman is named',
    'מושגי החסידות, ספר שלם בפני עצמו',
  ])('%s', async (text) => {
    expect((await parts(text)).filter(([, outcome]) => outcome === 'missing')).toEqual([])
  })
})

it('a part that the work has is found, with a number and as an entry', async () => {
  expect(await parts('so Concepts of Chassidut, Beinoni 1 has it')).toEqual([
    ['Concepts of Chassidut, Beinoni 1', 'found'],
  ])
  expect(await parts('so the entry Beinoni in Concepts of Chassidut has it')).toEqual([
    ['Concepts of Chassidut, Beinoni', 'found'],
  ])
})
