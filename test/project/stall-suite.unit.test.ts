import { tmpdir } from 'node:os'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { faultsOf, limitsOn } from '../fuzz/stalls/limits.ts'
import { startWatchedService, type WatchedService } from '../fuzz/stalls/watched-service.ts'
import { sendOver } from '../fuzz/stalls/wire.ts'

const limits = limitsOn({ processor: 1, machine: 1 })

describe('the watched process', () => {
  let service: WatchedService
  const ask = (path: string) =>
    service.watch(async () => void (await sendOver(service.url, { method: 'GET', path })), true)

  beforeAll(async () => {
    const server = fileURLToPath(new URL('../fuzz/stalls/held-server.ts', import.meta.url))
    service = await startWatchedService(tmpdir(), {}, server)
  })
  afterAll(() => service.stop())

  test('a request that holds the event loop is a finding', async () => {
    const strain = await ask('/hold')
    expect(strain.loopMs).toBeGreaterThan(limits.loopMs)
    expect(strain.healthMs).toBeGreaterThan(limits.healthMs)
    expect(faultsOf(strain, 10, limits)).toContainEqual(expect.stringMatching(/^the event loop was held for/))
  })

  test.runIf(process.platform === 'linux')('a request that fills the memory is a finding', async () => {
    const strain = await ask('/fill')
    expect(faultsOf(strain, 10, limits)).toContainEqual(
      expect.stringMatching(/^the memory grew by (29|30)\d/),
    )
    expect(faultsOf({ ...strain, loopMs: 0, healthMs: 0 }, 100 * 1024 * 1024, limits)).toEqual([])
  })

  test('a request that ends the process is seen', async () => {
    const strain = await ask('/end')
    expect(strain.loopMs).toBe(Number.POSITIVE_INFINITY)
    expect(service.ended()).toBe(true)
  })
})
