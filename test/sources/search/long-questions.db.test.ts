import { expect, test } from 'vitest'
import { searchSources } from '../../../src/sources/search/search.ts'
import { useLibraryDatabase } from '../../support/database.ts'

const db = useLibraryDatabase()

test.each([
  ['איך אפשר להתגבר על כעס כשמישהו בבית מעצבן אותי כל יום מחדש?', 'Kaas'],
  ['רציתי לשאול איך אדם פשוט כמוני, שעובד כל היום ואין לו זמן, יכול להגיע לדבקות?', 'Devekut'],
  ['מה פירוש המושג צמצום, והאם באמת הסתלק האור האלוקי מן העולם או שזה רק משל?', 'Tzimtzum'],
  ['במה עוסק ספר ליקוטי מוהר״ן ומאיפה כדאי להתחיל בו למי שמעולם לא למד אותו?', 'Likutei Moharan'],
  [
    'How does a simple man who works all day and has no time or strength left ever come to devekut?',
    'Devekut',
  ],
])('a long question is about the entry that it names: %s', async (text, entry) => {
  const hits = await searchSources(db.database.system, { text, limit: 3 })
  expect(hits.map(({ ref }) => ref.replace(/^[^,]+, | \d+$/g, ''))).toContain(entry)
})
