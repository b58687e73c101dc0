import { capName, findReachedCap } from '../../billing/key-spending.ts'
import { type Database, withTx } from '../../db/client.ts'
import { retryTransient } from '../../db/retry.ts'
import type { Run } from '../run/run.ts'

/**
 * Tells why the hold of a run could not grow by `micros` micro-credits: a spending cap of its API key, or the credits of
 * the account.
 */
export async function holdRefusal(
  database: Database,
  run: Pick<Run, 'accountId' | 'apiKeyId'>,
  micros: bigint,
  signal: AbortSignal,
): Promise<string> {
  const { accountId, apiKeyId: keyId } = run
  const find = () =>
    withTx(database, run, (tx) => findReachedCap(tx, { accountId, keyId: keyId ?? '', micros }))
  const cap = keyId === null ? undefined : await retryTransient(find, signal)
  if (cap) return `The turn reached ${capName(cap)} of its API key. Raise the cap, then ask again.`
  return 'The account has too few credits for another step. Add credits, then ask again.'
}
