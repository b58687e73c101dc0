import { expect, test } from 'vitest'
import { callTools, gate, reply } from '../../support/scripted-upstream.ts'
import { ask, call } from '../../support/world/requests.ts'
import { useWorld } from '../../support/world/world.ts'

const world = useWorld()

type Explained = { readonly status: string; readonly explanation: readonly string[] }
const explained = (runId: string) => world.get<Explained>(`/v1/agent/runs/${runId}?explain=true`)
const idOf = ({ headers }: Response) => headers.get('x-service-run-id') ?? ''

test('a run tells why it was admitted, what it held and paid, and what took part', async () => {
  world.upstream.enqueue(callTools([{ name: 'list_files', arguments: {} }]), reply('Done.'))
  const first = await world.chat(ask('What is there?'))
  await first.text()
  const again = await call(world.service, world.key, 'POST', '/v1/chat/completions', ask('What is there?'), {
    'x-stainless-retry-count': '1',
  })
  expect(idOf(again)).toBe(idOf(first))
  await again.text()
  const { explanation } = await explained(idOf(first))
  const told = explanation.join('\n')
  expect(told).toMatch(/^Admitted 20\S+ for API key key_\w+, as turn 1 of session sess_/)
  expect(told).toMatch(/Before it, the account had \d+ credits and used 0 of its slots/)
  expect(told).toMatch(/got this run again and paid nothing: its client marked it as a retry/)
  expect(told).toMatch(/Held [\d.]+ credits, [\d.]+ of them of the month's allowance; at most 50/)
  expect(told).toMatch(/Step 2: tool list_files \(0.05 credits, attempt 1\)/)
  expect(told).toMatch(/Ended 20\S+: completed, stop/)
  expect(told).toMatch(
    /Charged [\d.]+ credits \(ledger entry \d+\), [\d.]+ of them from the allowance; [\d.]+ went back/,
  )
})

test('a cancelled run says who ended it and what was paid', async () => {
  const held = gate()
  world.upstream.enqueue([{ text: 'Half' }, { waitFor: held.opened }])
  const response = await world.chat({ ...ask('Stop me'), stream: true })
  await response.body?.getReader().read()
  await call(world.service, world.key, 'POST', `/v1/agent/runs/${idOf(response)}/cancel`)
  await expect.poll(async () => (await explained(idOf(response))).status).toBe('cancelled')
  held.open()
  const told = (await explained(idOf(response))).explanation.join('\n')
  expect(told).toMatch(/Somebody asked to cancel it 20/)
  expect(told).toMatch(/a model reply, cut off: \d+ tokens read/)
})
