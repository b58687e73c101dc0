import { beforeAll, expect, test } from 'vitest'
import { gate } from '../support/scripted-upstream.ts'
import type { Completion } from '../support/world/replies.ts'
import { ask, call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { useWorld } from '../support/world/world.ts'

let other: TestService

const world = useWorld()
beforeAll(async () => {
  other = await world.start()
})

test.each<readonly [string, object, Record<string, string>]>([
  ['x_service', { x_service: { background: true } }, {}],
  ['a header', {}, { 'x-service-background': 'true' }],
  ['flat metadata', { metadata: { 'service.background': 'true' } }, {}],
  ['nested metadata', { metadata: { service: { background: true } } }, {}],
])(
  'a background turn requested by %s returns its run, which any replica shows',
  async (channel, fields, headers) => {
    const rest = gate()
    world.upstream.enqueue([{ text: 'In the' }, { waitFor: rest.opened }, { text: ' background.' }])
    const body = ask(`By ${channel}`, fields)
    const started = await call(world.service, world.key, 'POST', '/v1/chat/completions', body, headers)
    expect(started.status).toBe(200)
    const path = started.headers.get('location') ?? ''
    const completion = (await started.json()) as Completion
    expect(path).toBe(`/v1/agent/runs/${completion.x_service.run_id}`)
    expect(completion.x_service.status).toBe('queued')
    expect(completion.choices[0]?.message.content).toBe('')
    const run = async (at: TestService) => (await call(at, world.key, 'GET', path)).json()
    expect(await run(other)).toMatchObject({ object: 'agent.run', status: 'in_progress', output: [] })
    const events = await call(other, world.key, 'GET', `${path}/events`)
    rest.open()
    expect(await events.text()).toContain('event: run.completed')
    expect(await run(other)).toMatchObject({
      status: 'completed',
      output: [{ type: 'message', content: 'In the background.' }],
    })
  },
)
