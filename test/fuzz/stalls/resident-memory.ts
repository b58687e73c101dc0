import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Starts to measure the peak of a process's resident memory, even while its event loop is blocked.
 * @returns a function for the growth in bytes up to the peak; undefined on kernels other than Linux.
 */
export function watchResidentMemory(pid: number): () => number | undefined {
  try {
    // Writing 5 resets the high-water mark to the memory that is resident now.
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
    const before = statusOf(pid, 'VmRSS')
    return () => largestSince(pid, before)
  } catch {
    return () => undefined
  }
}

function largestSince(pid: number, before: number): number | undefined {
  try {
    return Math.max(0, statusOf(pid, 'VmHWM') - before)
  } catch {
    return undefined
  }
}

function statusOf(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const kibibytes = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]
  if (kibibytes === undefined) throw new Error(`the kernel tells no ${field}`)
  return Number(kibibytes) * 1024
}
