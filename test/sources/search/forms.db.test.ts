import { describe, expect, it } from 'vitest'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

const texts: Readonly<Record<string, string>> = {
  'Verdict 1:1': 'זה דינו האמיתי',
  'Louse 1:1': 'כינו נפלה לארץ',
  'House 1:1': 'בית גדול עומד',
  'Going 1:1': 'לבית הזה נכנסו',
  'Meadow 1:1': 'לאחו ירוק רעננים',
  'Asking 1:1': 'ולמה שאלו זאת',
  'Dawn 1:1': 'אור מאיר מאד',
  'Candle 1:1': 'נר דולק בחלון',
  'Fire 1:1': 'אש יוקדת שם',
  'Daughter 1:1': 'בת שרה ניגון',
}

function* lines(): Generator<object> {
  for (const [ref, he] of Object.entries(texts)) yield { work: ref.split(' ')[0], ref, he }
}

const db = useLibrary(lines())

const refs = async (text: string): Promise<readonly string[]> =>
  (await searchSources(db.database.system, { text, limit: 10 })).map(({ ref }) => ref).toSorted()

describe('a Hebrew word of a query', () => {
  it('takes no other prefix when the library lacks the word without one', async () => {
    expect(await refs('דינו')).toEqual(['Verdict 1:1'])
  })

  it('takes other prefixes when the library has the word without one', async () => {
    expect(await refs('בבית')).toEqual(['Going 1:1', 'House 1:1'])
  })

  it('takes other prefixes when nothing else of it is found', async () => {
    expect(await refs('באחו')).toEqual(['Meadow 1:1'])
  })

  it.each([
    ['לנר', 'Candle 1:1'],
    ['באש', 'Fire 1:1'],
    ['והאש', 'Fire 1:1'],
  ])('of a noun of two letters behind a prefix finds the noun: %s', async (word, ref) => {
    expect(await refs(word)).toEqual([ref])
  })

  it('that only looks like such a noun with a prefix does not find the noun', async () => {
    expect(await refs('שבת')).toEqual([])
  })

  it('is not looked for when it only asks, with ו before it too', async () => {
    expect(await refs('ולמה הבית')).not.toContain('Asking 1:1')
  })
})

describe('a phrase in quotation marks that no passage has', () => {
  it('is read as plain words beside other words', async () => {
    expect(await refs('the meaning of "shining light" for us today')).toContain('Dawn 1:1')
  })

  it('finds no translation when it is the whole query', async () => {
    expect(await refs('"shining light"')).toEqual([])
  })
})
