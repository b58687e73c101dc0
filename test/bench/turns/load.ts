import { setTimeout as delay } from 'node:timers/promises'
import { type Exchange, exchange, type Target } from './exchange.ts'
import type { TurnScript } from './script.ts'

export type LoadResult = {
  readonly done: number
  readonly failed: number
  /** What was wrong with the first reply that failed. */
  readonly reason: string | undefined
  readonly seconds: number
  readonly exchanges: readonly Exchange[]
}

export type Load = { readonly target: Target; readonly script: TurnScript; readonly streamed?: boolean }

/** Closed loop: so many clients, each sends its next turn when the last one has ended. */
export async function closedLoop(load: Load, concurrency: number, seconds: number): Promise<LoadResult> {
  const tally = new Tally()
  const until = performance.now() + seconds * 1_000
  const client = async () => {
    while (performance.now() < until) await tally.one(load)
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  return tally.result()
}

/** Open loop: turns begin at a fixed rate, whatever the answers take. */
export async function openLoop(load: Load, perSecond: number, seconds: number): Promise<LoadResult> {
  const tally = new Tally()
  const began = performance.now()
  const sent: Promise<void>[] = []
  for (let i = 0; i < perSecond * seconds; i += 1) {
    const waitMs = began + (i * 1_000) / perSecond - performance.now()
    if (waitMs > 1) await delay(waitMs)
    sent.push(tally.one(load))
  }
  await Promise.all(sent)
  return tally.result()
}

/** So many turns at once, begun over some time, by the targets in turn. */
export async function together(
  { targets, ...load }: Omit<Load, 'target'> & { readonly targets: readonly Target[] },
  count: number,
  overMs: number,
): Promise<LoadResult> {
  const tally = new Tally()
  const clients = Array.from({ length: count }, async (_, i) => {
    await delay((overMs * i) / count)
    const target = targets[i % targets.length]
    if (target) await tally.one({ ...load, target })
  })
  await Promise.all(clients)
  return tally.result()
}

class Tally {
  readonly #began = performance.now()
  readonly #exchanges: Exchange[] = []
  #failed = 0
  #reason: string | undefined

  async one({ target, script, streamed = true }: Load): Promise<void> {
    try {
      this.#exchanges.push(await exchange(target, script, { streamed }))
    } catch (error) {
      this.#failed += 1
      this.#reason ??= `${target.name}: ${error instanceof Error ? error.message : String(error)}`
    }
  }

  result(): LoadResult {
    return {
      done: this.#exchanges.length,
      failed: this.#failed,
      reason: this.#reason,
      seconds: (performance.now() - this.#began) / 1_000,
      exchanges: this.#exchanges,
    }
  }
}
