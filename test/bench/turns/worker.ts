import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:net'
import path from 'node:path'

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

/** AppendResult by a worker when it listens. */
export function announce(server: Server): void {
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  process.stdout.write(`ready at http://127.0.0.1:${port}/v1\n`)
}

const timeoutMs = 30_000

/** Starts a file as a process and waits until it says where it listens. @throws Error when it does not. */
export async function startWorker(
  file: string,
  options: {
    readonly env: Readonly<Record<string, string>>
    readonly cwd: string
    readonly nodeArgs?: readonly string[]
  },
): Promise<Worker> {
  const began = performance.now()
  const child = spawn(process.execPath, [...(options.nodeArgs ?? []), file], {
    cwd: options.cwd,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const url = await listening(child, path.basename(file))
  const startMs = performance.now() - began
  const pid = child.pid ?? 0
  return {
    url,
    pid,
    startMs,
    cpuMs: () => cpuOf(pid),
    rssKib: () => residentOf(pid),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
      await closed
      clearTimeout(late)
    },
  }
}

function listening(child: ChildProcess, name: string): Promise<string> {
  let output = ''
  // However the bench ends, none of its processes outlives it.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('close', () => process.off('exit', kill))
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${name} did not listen: ${output}`)), timeoutMs)
    // The service says it on standard error, the floors on standard output.
    const read = (chunk: Buffer): void => {
      output = (output + chunk).slice(-10_000)
      const url = /ready at (\S+)\/v1\n/.exec(output)?.[1]
      if (url === undefined) return
      clearTimeout(late)
      resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('close', (code) => reject(new Error(`${name} ended with ${code}: ${output}`)))
  })
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
