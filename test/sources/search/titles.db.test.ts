import { describe, expect, it } from 'vitest'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibrary } from '../../support/library-lines.ts'

const passages = [
  { ref: 'Guide, Silence 1', he_ref: 'מדריך, שתיקה א', he: 'זו היא מידה טובה הנוהגת בכל אדם ובכל זמן' },
  { ref: 'Guide, Second 1', he_ref: 'מדריך, סבלנות גדולה א', he: 'מי שיש בו מידה זו לא יכעס לעולם' },
  { ref: 'Essay 1', he_ref: 'מאמר א', he: 'שתיקה שתיקה שתיקה סבלנות סבלנות' },
  { ref: 'Calendar 1', he_ref: 'לוח א', he: 'ביום ל"ג בעומר מדליקים מדורה' },
]

function* lines(): Generator<object> {
  for (const passage of passages) yield { ...passage, work: passage.ref.replace(/[, ].*/, '') }
}

const db = useLibrary(lines())

const found = async (text: string) => searchSources(db.database.system, { text, limit: 10 })

describe('a passage', () => {
  it('comes before texts that repeat a word when the word is its Hebrew title', async () => {
    const [best] = await found('מהי שתיקה?')
    expect(best).toMatchObject({ ref: 'Guide, Silence 1', coverage: { titled: true } })
  })

  it('is not taken as titled when the query has a part of its title', async () => {
    const hits = await found('סבלנות')
    expect(hits.find(({ ref }) => ref === 'Guide, Second 1')?.coverage.titled).toBe(false)
  })

  it('is found by a numeral of two letters that bears a prefix', async () => {
    expect((await found('בל״ג')).map(({ ref }) => ref)).toEqual(['Calendar 1'])
  })
})
