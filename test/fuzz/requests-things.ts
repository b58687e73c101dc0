import { builtInPlans, type Plans } from '../../src/accounts/plans.ts'
import { scopes } from '../../src/accounts/scopes.ts'
import { newId } from '../../src/ids.ts'
import { callTools, reply, type ScriptSource } from '../support/upstream-scripts.ts'
import { makeAccount, makeKey } from '../support/world/accounts.ts'
import { makeThings } from '../support/world/things.ts'
import type { World } from '../support/world/world.ts'
import type { RequestsPlan } from './requests.ts'

/** No count stops a request. */
const plans: Plans = {
  names: builtInPlans.names,
  of: (name) => ({
    ...builtInPlans.of(name),
    requestsPerMinute: 1e9,
    turnsPerMinute: 1e9,
    concurrentTurns: 1e6,
    monthlyMicros: 10n ** 15n,
  }),
}

/** Options of the world that generated requests are sent to. Its model calls a tool in every tenth reply. */
export function requestsOptions() {
  let asked = 0
  const script: ScriptSource = (body) => {
    asked += 1
    const wantsTool = asked % 10 === 0 && body.messages.at(-1)?.role === 'user'
    return wantsTool
      ? callTools([{ name: 'write_file', arguments: { name: 'a.txt', content: 'text' } }])
      : reply('An answer [S1].')
  }
  return { plans, script, upstream: { records: false } } as const
}

/** What requests are made from: two accounts that have one of everything. */
export async function fillRequestsWorld({
  db,
  service,
}: World): Promise<Pick<RequestsPlan, 'service' | 'keys' | 'ids'>> {
  const [own, foreign] = [await makeOne(), await makeOne()]
  return {
    service,
    keys: [own.key, await makeKey(db.database, own.accountId)],
    ids: [...idsOf(own), ...idsOf(foreign), newId('run'), 'service', 'Tanya 1:1'],
  }

  async function makeOne() {
    const { id: accountId } = await makeAccount(db.database, 'unlimited', plans)
    const key = await makeKey(db.database, accountId, { reach: { kind: 'owner' }, scopes })
    return makeThings(db, service, { accountId, key })
  }
}

const idsOf = ({ projectId, sessionId, runId, fileId }: Awaited<ReturnType<typeof makeThings>>) => [
  projectId,
  sessionId,
  runId,
  runId.replace('run_', 'resp_'),
  fileId,
]
