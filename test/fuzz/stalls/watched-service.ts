import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { bundledServer } from '../../../build/bundle.ts'
import type { ProbeMessage, ProbeOrder, ServedRoute } from './loop-probe.ts'
import { type Observer, openObserver } from './observer.ts'
import { watchResidentMemory } from './resident-memory.ts'

/** The effect of one piece of work on the process. */
export type Strain = {
  /** Longest time for which the event loop was blocked, in milliseconds. */
  readonly loopMs: number
  /** Longest wait of another client for `/healthz`, in milliseconds. */
  readonly healthMs: number
  /**
   * Growth of the resident memory up to its peak, in bytes; undefined where the system does not report it.
   */
  readonly grownBytes: number | undefined
}

/** The service as `npm start` runs it, in a process with measured event loop and memory. */
export type WatchedService = {
  readonly url: string
  readonly routes: readonly ServedRoute[]
  /** Whether the process has ended by itself. */
  ended(): boolean
  /** The end of its standard error. */
  complaint(): string
  /**
   * Measures the process while `work` runs.
   * @param settles collects garbage first, so that memory figures are comparable.
   */
  watch(work: () => Promise<void>, settles: boolean): Promise<Strain>
  stop(): Promise<void>
}

const startMs = 120_000
const probe = fileURLToPath(new URL('./loop-probe.ts', import.meta.url))

/**
 * @param folder a folder without `.env`.
 * @param program another server that prints its port, instead of the service.
 * @throws Error when it does not start.
 */
export async function startWatchedService(
  folder: string,
  env: Readonly<Record<string, string>>,
  program: string = bundledServer,
): Promise<WatchedService> {
  const child = spawn(process.execPath, ['--expose-gc', '--import', probe, program], {
    cwd: folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', PORT: '0', LOG_LEVEL: 'fatal', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const kill = () => void child.kill('SIGKILL')
  process.once('exit', kill)
  let routes: readonly ServedRoute[] = []
  let complaint = ''
  child.on('message', (message: ProbeMessage) => {
    if ('routes' in message) routes = message.routes
  })
  child.stderr?.on('data', (chunk) => {
    complaint = (complaint + chunk).slice(-4_000)
  })
  const url = await listening(child, () => complaint)
  const observer = openObserver(url)
  return {
    url,
    routes,
    ended: () => child.exitCode !== null || child.signalCode !== null,
    complaint: () => complaint,
    watch: (work, settles) => watch(child, observer, work, settles),
    async stop() {
      process.off('exit', kill)
      await observer.close()
      if (child.exitCode !== null || child.signalCode !== null) return
      const closed = once(child, 'close')
      child.kill('SIGKILL')
      await closed
    },
  }
}

function listening(child: ChildProcess, complaint: () => string): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`the service did not start: ${complaint()}`)), startMs)
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => {
        output = (output + chunk).slice(-10_000)
        const url = /ready at (\S+)\/v1\n/.exec(output)?.[1]
        if (url === undefined) return
        clearTimeout(late)
        resolve(url)
      })
    child.once('close', (code) => reject(new Error(`the service ended with ${code}: ${complaint()}`)))
  })
}

async function watch(
  child: ChildProcess,
  observer: Observer,
  work: () => Promise<void>,
  settles: boolean,
): Promise<Strain> {
  await order(child, settles ? 'settle' : 'begin')
  await observer.begin()
  const grown = watchResidentMemory(child.pid ?? 0)
  await work()
  const loopMs = await order(child, 'read')
  const healthMs = await observer.read()
  return { loopMs, healthMs, grownBytes: grown() }
}

let orders = 0

/** @returns the longest delay so far in milliseconds; infinity when the process ends first. */
function order(child: ChildProcess, what: ProbeOrder['order']): Promise<number> {
  orders += 1
  const id = orders
  return new Promise((resolve) => {
    const settle = (worstMs: number) => {
      child.off('message', read)
      child.off('close', gone)
      resolve(worstMs)
    }
    const read = (message: ProbeMessage) => 'id' in message && message.id === id && settle(message.worstMs)
    const gone = () => settle(Number.POSITIVE_INFINITY)
    child.on('message', read)
    child.once('close', gone)
    // The process can end between the check and `send`; without a callback that error would be uncaught.
    if (child.connected) child.send({ id, order: what } satisfies ProbeOrder, (error) => error && gone())
    else gone()
  })
}
