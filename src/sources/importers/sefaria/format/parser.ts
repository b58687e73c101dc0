import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import { TermReceiver } from '../../../index/sent-terms.ts'
import { type ParsedFiles, type ParseJob, receiveFiles, type SentFiles } from './parse-files.ts'

/** Parses the files of works in threads, so that the main thread is free for the database. */
export type Parser = {
  /** Useful number of concurrent jobs. */
  readonly width: number
  parse(job: ParseJob): Promise<ParsedFiles>
  close(): Promise<void>
}

/** Maximum number of threads. One processor stays free for the database, and more threads would wait for it. */
const maxThreads = 4

export function openParser(): Parser {
  const threads = Math.max(1, Math.min(maxThreads, availableParallelism() - 1))
  const pool = new Piscina({
    filename: new URL('./parse-files.ts', import.meta.url).href,
    name: 'parseInThread',
    minThreads: 0,
    maxThreads: threads,
    // Ending a thread loses the word forms that it has cached.
    idleTimeout: 60_000,
    // The next job waits in the thread, so that the thread need not wait for the main thread.
    concurrentTasksPerWorker: 2,
    // Texts live as long as one job. A smaller young generation copies them repeatedly, a larger one only uses memory.
    // Below 2 GB of old generation, V8 collects at twice the live size instead of four times.
    resourceLimits: { maxYoungGenerationSizeMb: 64, maxOldGenerationSizeMb: 1_900 },
  })
  const receiver = new TermReceiver()
  return {
    width: threads,
    // Received as soon as it arrives: the results of a thread must be received in order.
    parse: (job) => pool.run(job).then((sent: SentFiles) => receiveFiles(sent, receiver)),
    close: () => pool.close(),
  }
}
