import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { bundledServer } from '../../../build/bundle.ts'
import { startListening } from '../../support/listening-process.ts'
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
  let routes: readonly ServedRoute[] = []
  const { child, url, output, hasEnded, stop } = await startListening(
    ['--expose-gc', '--import', probe, program],
    {
      ...{ cwd: folder, env: { PORT: '0', LOG_LEVEL: 'fatal', ...env }, timeoutMs: startMs },
      onMessage(message: ProbeMessage) {
        if ('routes' in message) routes = message.routes
      },
    },
  )
  const observer = openObserver(url)
  return {
    ...{ url, routes },
    ended: hasEnded,
    complaint: output,
    watch: (work, settles) => watch(child, observer, work, settles),
    async stop() {
      await observer.close()
      await stop('SIGKILL')
    },
  }
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
