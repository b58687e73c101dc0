import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../support/random.ts'
import type { Surroundings } from './client.ts'
import { exchange } from './exchange.ts'
import type { RunSeen } from './history.ts'
import type { Intent } from './plan.ts'
import type { RunStatus } from './replies.ts'

/** A run whose id a client knows. */
export type KnownRun = { readonly intent: Intent; readonly runId: string; readonly key: string }

const timeoutMs = 10_000

type RunBody = {
  readonly id: string
  readonly status: RunStatus
  readonly credits: string
  readonly output: readonly { readonly type: string; readonly content?: string }[]
}

/**
 * Polls a run until it has ended.
 * @returns undefined when the harness stops first.
 */
export async function pollRun(
  world: Surroundings,
  run: KnownRun,
  random: Random,
): Promise<RunSeen | undefined> {
  while (!world.over.aborted) {
    const seen = await readRun(world, run, random)
    if (seen && seen.status !== 'queued' && seen.status !== 'in_progress') {
      world.history.record({ type: 'run seen', intent: run.intent.id, ...seen })
      return seen
    }
    await delay(random.between(150, 700), undefined, { signal: world.over }).catch(() => undefined)
  }
  return undefined
}

async function readRun(world: Surroundings, run: KnownRun, random: Random): Promise<RunSeen | undefined> {
  const got = await exchange({
    ...world.access().choose(random),
    method: 'GET',
    path: `/v1/agent/runs/${run.runId}`,
    headers: { authorization: `Bearer ${run.key}` },
    timeoutMs,
  })
  if (got.ending !== 'complete') return undefined
  if (got.status !== 200) {
    // A missing run is an error: the checker compares this entry with the rows.
    if (got.status === 404) return { runId: run.runId, status: 'failed', text: 'not found', credits: '-1' }
    return undefined
  }
  const body = JSON.parse(got.text) as RunBody
  const text = body.output.find(({ type }) => type === 'message')?.content ?? ''
  return { runId: body.id, status: body.status, text, credits: body.credits }
}

/** Requests the cancellation of a run until the service has accepted it. */
export async function cancelRun(
  world: Surroundings,
  run: KnownRun,
  random: Random,
  afterMs: number,
): Promise<void> {
  await delay(afterMs)
  while (!world.over.aborted) {
    const got = await exchange({
      ...world.access().choose(random),
      method: 'POST',
      path: `/v1/agent/runs/${run.runId}/cancel`,
      headers: { authorization: `Bearer ${run.key}` },
      timeoutMs,
    })
    const done = got.ending === 'complete' && got.status === 200
    world.history.record({ type: 'cancel', intent: run.intent.id, runId: run.runId, done })
    if (done) return
    await delay(random.between(200, 1_000), undefined, { signal: world.over }).catch(() => undefined)
  }
}
