import { setTimeout as delay } from 'node:timers/promises'
import { type Case, nameOf, type Step, type WireReply } from './case.ts'
import { faultsOf, type Limits, least } from './limits.ts'
import type { Strain } from './watched-service.ts'
import type { World } from './world.ts'

/** What one request did. */
export type Measured = {
  readonly subject: string
  /** Name of the case, so that it can be sent again. */
  readonly name: string
  readonly bytes: number
  readonly status: number
  readonly strain: Strain
  /** Empty unless every try broke a limit. */
  readonly faults: readonly string[]
}

const tries = 3
/** Below this size a garbage collection precedes only a repeated measurement: most need none, and it takes time. */
const settledFrom = 60_000
/** A page that starts a turn replies before the turn has ended; this is the wait for it. */
const afterFormMs = 120

type Growth = {
  readonly limits: Limits
  readonly short: boolean
  /** Time as `Date.now()` after which no request starts. */
  readonly until: number
}

/**
 * Sends a case in growing sizes until the service refuses its size or a limit breaks, and reports each
 * request.
 */
export async function grow(
  world: World,
  case_: Case,
  { limits, short, until }: Growth,
  onMeasured: (measured: Measured) => void,
): Promise<void> {
  const sizes = short ? fewOf(case_.sizes) : case_.sizes
  for (let at = 0; at < sizes.length && Date.now() < until; at += 1) {
    const size = sizes[at] ?? 0
    const { measured, reply } = await measureStep(world, () => case_.step(size), nameOf(case_), limits)
    onMeasured(measured)
    if (measured.faults.length > 0 || refusesSize.has(reply.status)) return
    if (!(await readNext(world, case_, reply, size, limits, onMeasured))) return
    // A request with invalid content is also refused when it is longer, so sizes are skipped.
    if (reply.status >= 400) at += 1
  }
}

/** Body too large, headers too large, or connection closed. */
const refusesSize: ReadonlySet<number> = new Set([413, 431, 0])

/** @returns false when a limit broke. */
async function readNext(
  world: World,
  case_: Case,
  reply: WireReply,
  bytes: number,
  limits: Limits,
  onMeasured: (measured: Measured) => void,
): Promise<boolean> {
  for (const step of case_.next?.(reply) ?? []) {
    const { measured } = await measureStep(world, () => step, nameOf(case_), limits, bytes)
    onMeasured(measured)
    if (measured.faults.length > 0) return false
  }
  return true
}

/** The short run sends at most 1 MB, which is enough to show quadratic time. */
const shortLargest = 1_000_000

function fewOf(sizes: readonly number[]): readonly number[] {
  const small = sizes.filter((size) => size <= shortLargest)
  return small.filter((_, n) => (small.length - 1 - n) % 3 === 0)
}

/**
 * Measures a request, and repeats it when a limit broke; `make` builds each try with new ids.
 * @param shown bytes of an earlier input that the reply contains.
 */
async function measureStep(
  world: World,
  make: () => Step,
  name: string,
  limits: Limits,
  shown = 0,
): Promise<{ readonly measured: Measured; readonly reply: WireReply }> {
  const step = make()
  const bytes = bytesOf(step) + shown
  let { strain, reply } = await send(world, step, bytes >= settledFrom)
  let faults = faultsOf(strain, bytes, limits)
  for (let n = 1; n < tries && faults.length > 0 && !world.service().ended(); n += 1) {
    const repeated = await send(world, make(), true)
    ;({ reply } = repeated)
    strain = least(strain, repeated.strain)
    faults = faultsOf(strain, bytes, limits)
  }
  if (world.service().ended()) {
    faults = [`the process ended: ${firstLines(world.service().complaint())}`]
    await world.revive()
  }
  if (reply.status === 500) faults = [...faults, 'the service failed with status 500']
  return { measured: { subject: step.subject, name, bytes, status: reply.status, strain, faults }, reply }
}

const firstLines = (text: string): string => text.trim().split('\n').slice(0, 3).join(' / ')

async function send(world: World, step: Step, settles: boolean) {
  let reply: WireReply = { status: 0, location: undefined, text: '' }
  world.say(step.model)
  const strain = await world.service().watch(async () => {
    reply = await world.send(step.request, step.as)
    if (/^\/(runs|sessions)\//.test(reply.location ?? '')) await delay(afterFormMs)
  }, settles)
  return { strain, reply }
}

function bytesOf({ request, moreBytes = 0 }: Step): number {
  return Buffer.byteLength(request.body ?? '') + Buffer.byteLength(request.path) + moreBytes
}
