import { availableParallelism } from 'node:os'
import { Piscina } from 'piscina'
import type { ParsedFiles, ParseJob } from './parse-files.ts'

/** Reads files of works in threads, beside the one that talks to the database. */
export type Parser = {
  /** Jobs that are worth having under way at once. */
  readonly width: number
  parse(job: ParseJob): Promise<ParsedFiles>
  close(): Promise<void>
}

/** One processor is left for the database; more threads than this would wait for it. */
const maxThreads = 4

export function openParser(): Parser {
  const threads = Math.max(1, Math.min(maxThreads, availableParallelism() - 1))
  const pool = new Piscina({
    filename: new URL('./parse-files.ts', import.meta.url).href,
    name: 'parseFiles',
    minThreads: 0,
    maxThreads: threads,
    // A thread that ends takes the word forms that it remembers with it.
    idleTimeout: 60_000,
    // Texts live for one job: with less room the collector copies them again and again, a quarter of the time.
    resourceLimits: { maxYoungGenerationSizeMb: 256 },
  })
  return {
    width: threads,
    parse: (job) => pool.run(job),
    close: () => pool.close(),
  }
}
