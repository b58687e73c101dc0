import { sql } from 'drizzle-orm'
import { type Database, openDatabase } from '../../db/client.ts'
import { inThread } from '../../threads.ts'
import { type AnswerChecks, checkAnswer } from './check.ts'
import type { VerifyInThread } from './verification.ts'
import { type Verification, verifyText } from './verify.ts'
import { verifyLookups } from './verify-lookups.ts'

/** The database of the last job: answers follow one another, and each would otherwise connect anew. */
let kept: { readonly url: string; readonly database: Database } | undefined

/** The job of `verification`. It runs in a thread because each search takes about 20 ms of processor time. */
export const job = inThread(
  async (input: VerifyInThread): Promise<Verification | AnswerChecks | undefined> => {
    const until = performance.now() + input.timeMs
    const { system } = await databaseAt(input.url)
    if (input.kind === 'start') {
      await system.execute(sql`select 1`)
      return undefined
    }
    const lookups = verifyLookups(system)
    const enough = (): boolean => performance.now() > until
    if (input.kind === 'answer') return checkAnswer(input.answer, lookups, enough)
    const { text, refs, explain } = input
    return verifyText(text, { ...lookups, refs, explain, enough })
  },
)

/** If the thread is killed, the server closes its connection. */
async function databaseAt(url: string): Promise<Database> {
  if (kept?.url === url) return kept.database
  await kept?.database.close()
  kept = { url, database: openDatabase({ url, maxConnections: 1, onIdleError: () => undefined }) }
  return kept.database
}
