import { Worker } from 'node:worker_threads'
import type { WorkerOptions, WorkerReport } from './fuzz-worker.ts'

export type ParserOutcome = WorkerReport & { readonly target: string; readonly hung: string | undefined }

/** A worker that sends no message for this long hangs on an input. */
const hangMs = 60_000
const roomForInput = 64 * 1024

/**
 * Lets a worker try inputs for `minutes`. A worker that hangs is ended, and its input becomes part of the
 * outcome.
 */
export function fuzzParser(target: string, seed: number, minutes: number): Promise<ParserOutcome> {
  const shared = new SharedArrayBuffer(roomForInput)
  const workerData: WorkerOptions = { target, seed, forMs: minutes * 60_000, shared }
  const worker = new Worker(new URL('./fuzz-worker.ts', import.meta.url), { workerData })
  let report: WorkerReport = { inputs: 0, corpus: 0, covered: 0, slowestMs: 0, slowest: '', findings: [] }
  return new Promise((resolve, reject) => {
    const hang = setTimeout(() => {
      const view = Buffer.from(shared)
      const hung = view.subarray(4, 4 + view.readUInt32LE(0)).toString('base64')
      void worker.terminate().then(() => resolve({ ...report, target, hung }))
    }, hangMs)
    worker.on('message', (message: { report: WorkerReport; done?: boolean }) => {
      report = message.report
      hang.refresh()
      if (!message.done) return
      clearTimeout(hang)
      resolve({ ...report, target, hung: undefined })
    })
    worker.once('error', (error) => {
      clearTimeout(hang)
      reject(error)
    })
  })
}
