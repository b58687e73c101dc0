import { describe, expect, it } from 'vitest'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

const hebrewOnly = [
  { work: 'Alone', ref: 'Alone 1:1', he: 'ומצא שם את הזמרגד אשר אבד לו בדרך' },
  { work: 'Alone', ref: 'Alone 2:1', he: 'שלשה לבושים יש לנפש הבהמית והם מחשבה דבור ומעשה' },
  { work: 'Alone', ref: 'Alone 3:1', he: 'המלך יושב בהיכלו ואין איש נכנס אליו' },
  { work: 'Alone', ref: 'Alone 4:1', he: 'נר דולק ופתילה ושמן בתוך הכלי' },
  { work: 'FacetCount', ref: 'FacetCount 1:1', en: 'A candle on a shelf' },
  { work: 'FacetCount', ref: 'FacetCount 2:1', en: 'A table in a room' },
  { work: 'FacetCount', ref: 'FacetCount 3:1', en: 'A door with a lock' },
  { work: 'FacetCount', ref: 'FacetCount 4:1', en: 'A window to the north' },
]

const db = useLibrary(hebrewOnly)

const search = async (text: string) => searchSources(db.database.system, { text, limit: 10 })

describe('a question in English', () => {
  it('finds a Hebrew passage by the lexicon, and says by which words', async () => {
    const [hit] = await search('What are the three garments of the animal soul?')
    expect(hit?.ref).toBe('Alone 2:1')
    expect(hit?.matched).toContainEqual({ word: 'garments', by: 'לבושים', through: 'lexicon' })
    expect(hit?.matched).toContainEqual({ word: 'animal soul', by: 'לנפש הבהמית', through: 'vocabulary' })
  })

  it('ranks a passage in its own words above one in translation', async () => {
    const hits = await search('candle')
    expect(hits.map(({ ref }) => ref)).toEqual(['FacetCount 1:1', 'Alone 4:1'])
    expect(hits[0]?.matched).toEqual([])
  })
})

describe('a question in Hebrew', () => {
  it('finds an English passage by the lexicon', async () => {
    const hit = (await search('מנורה')).find(({ ref }) => ref === 'FacetCount 1:1')
    expect(hit?.matched).toEqual([{ word: 'מנורה', by: 'candle', through: 'lexicon' }])
  })
})
