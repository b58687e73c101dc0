import { describe, expect, it } from 'vitest'
import { isRelevant } from '../../../src/sources/search/relevance/relevance-floor.ts'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

const texts: Readonly<Record<string, { readonly en?: string; readonly he?: string }>> = {
  'Entries, Simcha 1': { en: 'Joy breaks through every fence.', he: 'שמחה פורצת גדר' },
  'Entries, Yirat Hashem 1': { en: 'Awe is the gate of every service.' },
  'Entries, Kotzker Rebbe 1': { en: 'The master of Kotzk sought truth.' },
  'Entries, Baruch of Medzhybizh 1': { en: 'Rabbi Baruch of Medzhybizh held court.' },
  'Entries, Humility 1': { en: 'Humility is the vessel of blessing.' },
  'Entries, Garden 1': { en: 'A gardener waters the saplings at dawn.' },
  'Entries, Names 1': { en: 'God is called Hashem in speech.' },
}

function* lines(): Generator<object> {
  for (const [ref, text] of Object.entries(texts)) yield { work: 'Entries', ref, ...text }
}

const db = useLibrary(lines())

const search = (text: string) => searchSources(db.database.system, { text, limit: 10 })
const first = async (text: string): Promise<string | undefined> => (await search(text))[0]?.ref

describe('a word that nothing is known about', () => {
  it.each([
    ['simkhe', 'Entries, Simcha 1'],
    ['Yires Hashem', 'Entries, Yirat Hashem 1'],
    ['פון קאצק', 'Entries, Kotzker Rebbe 1'],
    ['מעזביזש', 'Entries, Baruch of Medzhybizh 1'],
    ['Reb Borukhl', 'Entries, Baruch of Medzhybizh 1'],
    ['humiltiy', 'Entries, Humility 1'],
    ['שמחהה', 'Entries, Simcha 1'],
  ])('%s finds "%s" first', async (query, ref) => {
    expect(await first(query)).toBe(ref)
  })

  it('is named with the word of the passage in a hit', async () => {
    const [hit] = await search('humiltiy of a person')
    expect(hit?.matched).toContainEqual({ word: 'humiltiy', by: 'Humility', through: 'spelling' })
  })

  it('makes a hit relevant as a name, and not as a slip that only the library explains', async () => {
    const [name] = await search('simkhe')
    const [slip] = await search('gradener')
    expect(name && isRelevant(name.coverage)).toBe(true)
    expect(slip && isRelevant(slip.coverage)).toBe(false)
  })

  it('is not read as another word in quotation marks', async () => {
    expect(await search('"humiltiy blesing"')).toEqual([])
  })

  it.each(['bicycle', 'karma', 'Torquemada', 'אופנוע', 'צה"ל'])(
    '%s finds nothing when it is another word',
    async (query) => {
      expect(await search(query)).toEqual([])
    },
  )
})
