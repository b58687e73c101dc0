import { expect, test } from 'vitest'
import { dataOf } from '../support/openapi-reader.ts'
import { gate, reply } from '../support/upstream-scripts.ts'
import { LiveStream } from '../support/world/live-stream.ts'
import { call } from '../support/world/requests.ts'
import type { TestService } from '../support/world/service.ts'
import { openWorld } from '../support/world/world.ts'

test('a stream ends when its process drains, and its retry finds the run', async () => {
  const world = await openWorld({ replicas: 2 })
  const { other } = world
  const lost = gate()
  const ask = (service: TestService) =>
    call(service, world.key, 'POST', '/v1/responses', { model: 'service', input: 'Leave', stream: true })
  try {
    world.upstream.enqueue([{ text: 'Half of it' }, { waitFor: lost.opened }], reply('All of it.'))
    const live = new LiveStream(await ask(world.service))
    await live.until('Half of it')
    await world.service.runner.drain()
    const events = dataOf(await live.rest())
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'run_failed' })
    // A reader can come before the text of the lost process is known to be void: it is told so, and comes again.
    let told: ReturnType<typeof dataOf> = []
    await expect
      .poll(async () => {
        const again = await ask(other)
        told = dataOf(await again.text())
        return [again.headers.get('idempotency-replayed'), told.at(-1)?.['type']]
      })
      .toEqual(['true', 'response.completed'])
    expect(told[0]).toEqual(events[0])
    expect(told.at(-1)).toMatchObject({ response: { output: [{ content: [{ text: 'All of it.' }] }] } })

    world.upstream.setDefault(reply('Something new.'))
    await expect
      .poll(async () => {
        const next = await ask(other)
        await next.text()
        return next.headers.get('idempotency-replayed')
      })
      .toBeNull()
  } finally {
    lost.open()
    await world.close()
  }
})
