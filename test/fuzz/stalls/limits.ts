import type { Slowness } from './calibration.ts'
import type { Strain } from './watched-service.ts'

/** Maximum strain of one request on a process, on the reference machine. */
const loopLimitMs = 100
/** Higher than the loop's limit, because another client also waits for its connection and for a CPU core. */
const healthLimitMs = 150
/** Memory that any request may use: garbage before V8's first collection, and pages of the allocator. */
export const memoryAllowance = 48 * 1024 * 1024
const memoryFactor = 4

export type Limits = { readonly loopMs: number; readonly healthMs: number; memoryFor(bytes: number): number }

export const limitsOn = ({ processor, machine }: Slowness): Limits => ({
  loopMs: loopLimitMs * processor,
  healthMs: healthLimitMs * machine,
  memoryFor: (bytes) => memoryFactor * bytes + memoryAllowance,
})

/** Broken limits as text; empty when all hold. */
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

/**
 * The minimum of each figure: a pause for garbage collection or another process rarely occurs three times.
 */
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
