/**
 * `node test/bench/turns/hold.ts`, forked: the clients of many open streams. A process of its own for each system that is measured: what
 * the clients of one leave behind would be collected, on all processors, while the lags of the next are taken.
 */

import { once } from 'node:events'
import { Agent } from 'undici'
import { percentile } from '../report.ts'
import type { Target } from './exchange.ts'
import { together } from './load.ts'
import { requireGood } from './rates.ts'
import { oneCall, type TurnScript } from './script.ts'

export type Task = {
  readonly targets: readonly Omit<Target, 'dispatcher'>[]
  readonly count: number
  readonly openMs: number
}

/** In milliseconds. */
export type Held = {
  readonly lagP50: number
  readonly lagP99: number
  readonly lagMost: number
  /** Longest silence of nearly all streams. */
  readonly silenceP99: number
}

async function task(): Promise<unknown> {
  const [message] = await once(process, 'message')
  return message
}

const { targets, count, openMs } = (await task()) as Task
const dispatcher = new Agent({ connections: null, pipelining: 1 })
const script: TurnScript = { tool: false, chunks: 8, firstMs: openMs + 12_000, gapMs: 1_000 }
const load = { targets: targets.map((target) => ({ ...target, dispatcher })), script }
// Connections and compiled code first, so that only the streams are counted.
requireGood(await together({ ...load, script: oneCall }, 500, 2_000))
process.send?.('warm')
await task()
const { exchanges } = requireGood(await together(load, count, openMs))
const lags = exchanges.flatMap(({ lagsMs }) => lagsMs)
const held: Held = {
  lagP50: percentile(lags, 0.5),
  lagP99: percentile(lags, 0.99),
  lagMost: Math.max(...lags),
  silenceP99: percentile(
    exchanges.map(({ silenceMs }) => silenceMs),
    0.99,
  ),
}
process.send?.(held)
await dispatcher.destroy()
process.disconnect()
