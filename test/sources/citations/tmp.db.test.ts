import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, it } from 'vitest'
import { verifyText } from '../../../src/sources/citations/verify.ts'
import { verifyLookups } from '../../../src/sources/citations/verify-lookups.ts'
import { importJsonl } from '../../../src/sources/importers/import-jsonl.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
let db: TestDatabase
const extra = [
 { work: 'Test Psalms', ref: 'Test Psalms 115:9', he: 'ישראל בטח ביהוה עזרם ומגנם הוא' },
 { work: 'Test Psalms', ref: 'Test Psalms 115:10', he: 'בית אהרן בטחו ביהוה עזרם ומגנם הוא' },
 { work: 'Garden', ref: 'Garden 1', he: 'אמר הגנן לתלמידיו שישקו את הפרחים בכל בוקר קודם זריחת החמה ולא ישכחו' },
 { work: 'Garden', ref: 'Garden 2', he: 'והמים קלות ח"ו יורדים אל השורש ומחיים את העלים היבשים', en: 'The Kotzker lived alone for nineteen years, and all the commandments were his garden' },
]
beforeAll(async () => {
  db = await createTestDatabase()
  async function* lines() { for (const l of readFileSync('/work/shared/cases/lines.jsonl','utf8').split('\n')) if (l.trim()) yield l
    for (const e of extra) yield JSON.stringify({ license: 'CC0', ...e }) }
  await importJsonl(db.database, lines(), { allowLicenses: [] })
})
afterAll(() => db.drop())
const S = (mark: string, ref: string, text: string, language: 'he'|'en') => ({ mark, ref, heRef: '', title: ref, work: ref.replace(/ \d.*/,''), language, version: '', license: 'CC0', url: '', text })
it('x', async () => {
  const offered = [S('S1','Garden 2',extra[3]!.he,'he')]
  for (const text of readFileSync('/tmp/probe.txt','utf8').split('\n---\n').map((t) => t.trim()).filter(Boolean)) {
    const v = await verifyText(text, { ...verifyLookups(db.database.system), offered, explain: true })
    console.log(text, '\n   =>', ...v.quotes.map((q) => `\n   ${q.result} ref=${q.ref} found=${q.found_ref} v=${q.found_version} named=${q.named_ref} sim=${q.similarity} ${q.explanation?.rule} ${JSON.stringify(q.differences ?? '')} «${q.quote}»`), '\n   not:', JSON.stringify(v.not_compared?.map((n)=>[n.reason,n.text])))
  }
})
