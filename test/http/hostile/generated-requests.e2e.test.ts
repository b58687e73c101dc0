import { expect, test } from 'vitest'
import { fuzzRequests } from '../../fuzz/requests.ts'
import { fillRequestsWorld, requestsOptions } from '../../fuzz/requests-things.ts'
import { isShort, times } from '../../support/full.ts'
import { useWorld } from '../../support/world/world.ts'

/** `npm run fuzz -- --seed N --requests 3000` repeats it. */
const seed = 1 + Math.floor(Math.random() * 2 ** 31)
const requests = times(1_000, 3_000)

const world = useWorld(requestsOptions())

test.skipIf(isShort)(
  `${requests} requests made from the OpenAPI document, whole and broken, meet no fault, and every refusal is a described one (seed ${seed})`,
  {
    timeout: 600_000,
  },
  async () => {
    const { sent, byStatus, findings } = await fuzzRequests({
      ...(await fillRequestsWorld(world)),
      requests,
      seed,
    })
    expect(findings).toEqual([])
    expect(sent).toBeGreaterThanOrEqual(requests)
    // Both happen: what is described is accepted, and what is broken is refused.
    expect(byStatus.get(200)).toBeGreaterThan(requests / 10)
    expect(byStatus.get(400)).toBeGreaterThan(requests / 10)
    expect(await world.broken()).toEqual([])
  },
)
