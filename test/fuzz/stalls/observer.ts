import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Measurements of another client of the service. */
export type Observer = {
  begin(): Promise<void>
  /** Longest wait for a reply of `/healthz` since `begin`, in milliseconds. */
  read(): Promise<number>
  close(): Promise<void>
}

export function openObserver(url: string): Observer {
  const worker = new Worker(new URL('./observer-worker.ts', import.meta.url), { workerData: { url } })
  const ask = async (order: 'begin' | 'read'): Promise<number> => {
    worker.postMessage(order)
    const [worstMs] = await once(worker, 'message')
    return worstMs
  }
  return {
    async begin() {
      await ask('begin')
    },
    read: () => ask('read'),
    async close() {
      await worker.terminate()
    },
  }
}
