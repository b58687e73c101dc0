import type { Principal } from '../../accounts/principal.ts'
import { questionOf } from '../run/model-history.ts'
import type { AdmissionServices, ClientTurn, Started } from './client-turn.ts'
import { flagged, unmoderated } from './refusals.ts'

/**
 * Asks the moderation server, if there is one, about the text of the last message of the user. A request that repeats a
 * run is not asked about again.
 * @param repeated the run that the request repeats, if there is one.
 * @returns that run.
 * @throws ServiceError `content_filter` if it is flagged; `overloaded` without a verdict, if the settings refuse then.
 */
export async function moderateNew(
  { moderation }: AdmissionServices,
  { accountId, keyId }: Principal,
  { messages }: ClientTurn,
  repeated: () => Promise<Started | undefined>,
): Promise<Started | undefined> {
  if (!moderation) return undefined
  const known = await repeated()
  if (known) return known
  const verdict = await moderation.judge(questionOf(messages), { accountId, keyId })
  if (verdict === 'flagged') throw flagged()
  if (verdict === 'unknown') throw unmoderated()
  return undefined
}
