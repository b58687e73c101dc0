import { readFile } from 'node:fs/promises'
import type { Server } from 'node:net'
import { startListening } from '../../support/listening-process.ts'

/** A process of the bench that listens on loopback, and what the system says of it. */
export type Worker = {
  /** Such as `http://127.0.0.1:4321`. */
  readonly url: string
  readonly pid: number
  /** From the start of the process to its listening, as it was seen from here. */
  readonly startMs: number
  /** User and system time it has taken so far, in milliseconds. */
  cpuMs(): Promise<number>
  /** Resident memory in KiB. */
  rssKib(): Promise<number>
  stop(): Promise<void>
}

/** Says that this process listens. */
export function announce(server: Server): void {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  process.stdout.write(`ready at http://127.0.0.1:${port}/v1\n`)
}

/** Starts a file as a process and waits until it says where it listens. @throws Error when it does not. */
export async function startWorker(
  file: string,
  options: { readonly env: Readonly<Record<string, string>>; readonly cwd: string },
): Promise<Worker> {
  const began = performance.now()
  const { child, url, stop } = await startListening([file], { ...options, timeoutMs: 30_000 })
  const startMs = performance.now() - began
  const pid = child.pid ?? 0
  return {
    ...{ url, pid, startMs },
    cpuMs: () => cpuOf(pid),
    rssKib: () => residentOf(pid),
    stop: () => stop('SIGTERM'),
  }
}

/** The kernel counts in ticks of 10 ms. */
const tickMs = 10

async function cpuOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  // The name, in brackets, may hold blanks; behind it `utime` and `stime` are the 12th and 13th fields.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * tickMs
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0)
}
