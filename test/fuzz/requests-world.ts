import { builtInPlans, type Plans } from '../../src/accounts/plans.ts'
import { scopes } from '../../src/accounts/scopes.ts'
import type { Database } from '../../src/db/client.ts'
import { newId } from '../../src/ids.ts'
import { startScriptedUpstream } from '../support/scripted-upstream.ts'
import { call, makeAccount, makeKey, makeProject, question, startTestService } from '../support/service.ts'
import { callTools, reply } from '../support/upstream-scripts.ts'
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

export type RequestsWorld = Pick<RequestsPlan, 'service' | 'keys' | 'ids'> & { close(): Promise<void> }

/**
 * A service with two accounts that have one resource of each kind. Its model calls a tool from time to time.
 */
export async function openRequestsWorld(database: Database): Promise<RequestsWorld> {
  const upstream = await startScriptedUpstream({ records: false })
  let asked = 0
  upstream.setDefault((body) => {
    asked += 1
    const wantsTool = asked % 10 === 0 && body.messages.at(-1)?.role === 'user'
    return wantsTool
      ? callTools([{ name: 'write_file', arguments: { name: 'a.txt', content: 'text' } }])
      : reply('An answer [S1].')
  })
  const model = { baseUrl: upstream.baseUrl, name: 'scripted' }
  const service = await startTestService(database, { plans, model })
  const made = await Promise.all([makeThings(), makeThings()])
  const [[ownKey, ownIds], [, foreignIds]] = made as [Made, Made]
  return {
    service,
    keys: [ownKey, await makeKey(database, ownIds[0] ?? '')],
    ids: [...ownIds.slice(1), ...foreignIds.slice(1), newId('run'), 'service', 'Tanya 1:1'],
    async close() {
      await service.stop()
      await upstream.close()
    },
  }

  type Made = readonly [key: string, ids: readonly string[]]

  async function makeThings(): Promise<Made> {
    const { id } = await makeAccount(database, 'unlimited', plans)
    const key = await makeKey(database, id, { reach: { kind: 'owner' }, scopes })
    const projectId = await makeProject(database, id)
    const turn = await call(service, key, 'POST', '/v1/chat/completions', {
      ...question('?'),
      x_service: { project_id: projectId },
    })
    const { session_id, run_id } = (
      (await turn.json()) as { x_service: { session_id: string; run_id: string } }
    ).x_service
    const upload = new FormData()
    upload.set('file', new File(['a text'], 'a.txt'))
    const sent = await fetch(`${service.url}/v1/files`, {
      method: 'POST',
      body: upload,
      headers: { authorization: `Bearer ${key}` },
    })
    const file = (await sent.json()) as { id: string }
    return [key, [id, projectId, session_id, run_id, run_id.replace('run_', 'resp_'), file.id]]
  }
}
