import type { Slowness } from './calibration.ts'
import type { Strain } from './watched-service.ts'

/** What a process may go through for one request, on the reference machine. */
const loopLimitMs = 100
/** Another client waits for more than the loop: for its own connection, and for a core. */
const healthLimitMs = 150
/** Memory that any request may take: what V8 fills with garbage before it first collects, and pages of the allocator. */
export const memoryAllowance = 48 * 1024 * 1024
const memoryFactor = 4

export type Limits = { readonly loopMs: number; readonly healthMs: number; memoryFor(bytes: number): number }

export const limitsOn = ({ processor, machine }: Slowness): Limits => ({
  loopMs: loopLimitMs * processor,
  healthMs: healthLimitMs * machine,
  memoryFor: (bytes) => memoryFactor * bytes + memoryAllowance,
})

/** What is beyond the limits, in words; empty when nothing is. */
export function faultsOf(strain: Strain, bytes: number, limits: Limits): readonly string[] {
  const { loopMs, healthMs, grownBytes = 0 } = strain
  return [
    ...(loopMs > limits.loopMs ? [`the event loop was held for ${milliseconds(loopMs)}`] : []),
    ...(healthMs > limits.healthMs ? [`/healthz took ${milliseconds(healthMs)}`] : []),
    ...(grownBytes > limits.memoryFor(bytes)
      ? [`the memory grew by ${megabytes(grownBytes)} for ${megabytes(bytes)}`]
      : []),
  ]
}

/** The least of each figure: a pause for garbage or by another process seldom comes three times. */
export function least(a: Strain, b: Strain): Strain {
  return {
    loopMs: Math.min(a.loopMs, b.loopMs),
    healthMs: Math.min(a.healthMs, b.healthMs),
    grownBytes:
      a.grownBytes === undefined || b.grownBytes === undefined
        ? undefined
        : Math.min(a.grownBytes, b.grownBytes),
  }
}

export const milliseconds = (ms: number): string =>
  ms === Number.POSITIVE_INFINITY ? 'ever' : `${ms.toFixed(0)} ms`
export const megabytes = (bytes: number): string =>
  `${(bytes / 1024 / 1024).toFixed(bytes < 1e6 ? 3 : 1)} MiB`
