import { openDatabase } from '../../db/client.ts'
import { inThread } from '../../threads.ts'
import type { VerifyInThread } from './verification.ts'
import { verifyText } from './verify.ts'
import { verifyLookups } from './verify-lookups.ts'

/** The job of `verification`. It runs in a thread because each search takes about 20 ms of processor time. */
export const job = inThread(async ({ url, text, refs, explain, timeMs }: VerifyInThread) => {
  const until = performance.now() + timeMs
  // Opened per job: if the thread is killed, the server closes its connections.
  const database = openDatabase({ url, maxConnections: 2, onIdleError: () => undefined })
  try {
    return await verifyText(text, {
      ...verifyLookups(database.system),
      refs,
      explain,
      enough: () => performance.now() > until,
    })
  } finally {
    await database.close()
  }
})
