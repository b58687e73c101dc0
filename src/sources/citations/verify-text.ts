import { openDatabase } from '../../db/client.ts'
import { inThread } from '../../threads.ts'
import type { VerifyInThread } from './verification.ts'
import { verifyText } from './verify.ts'
import { verifyLookups } from './verify-lookups.ts'

/** The job of `verification`: its searches each take a processor for some 20 ms. */
export const job = inThread(async ({ url, text, refs, timeMs }: VerifyInThread) => {
  const until = performance.now() + timeMs
  // For this job only: a thread that is ended in the middle leaves connections to the server to close.
  const database = openDatabase({ url, maxConnections: 2, onIdleError: () => undefined })
  try {
    return await verifyText(text, {
      ...verifyLookups(database.system),
      refs,
      enough: () => performance.now() > until,
    })
  } finally {
    await database.close()
  }
})
