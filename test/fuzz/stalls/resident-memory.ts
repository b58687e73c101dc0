import { readFileSync, writeFileSync } from 'node:fs'

/**
 * Begins to watch for the largest resident memory of a process, in bytes, also while its loop is held up.
 * @returns how much it had grown since then at its largest; undefined where the kernel is not Linux.
 */
export function watchResidentMemory(pid: number): () => number | undefined {
  try {
    // 5: the high-water mark starts again from what is resident now.
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
