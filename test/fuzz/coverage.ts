import { type Profiler, Session } from 'node:inspector/promises'

/** Records which blocks of code have run, and how often, with V8's own counters. */
export type Coverage = {
  /**
   * Blocks that ran since the last call and are new; with `counts` also an approximate count of runs per
   * block.
   */
  look(counts: boolean): Promise<readonly string[]>
  accept(ground: readonly string[]): void
  /** Number of blocks seen so far. */
  readonly seen: number
  close(): Promise<void>
}

/** @param covers parts of the URLs of the files that count. */
export async function watchCoverage(covers: readonly string[]): Promise<Coverage> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const blocks = new Set<string>()
  const counted = new Set<string>()
  return {
    get seen() {
      return blocks.size
    },
    async look(counts) {
      const { result } = await session.post('Profiler.takePreciseCoverage')
      const known = counts ? counted : blocks
      return result
        .filter(({ url }) => covers.some((part) => url.includes(part)))
        .flatMap(({ scriptId, functions }) =>
          functions.flatMap(({ ranges }) =>
            ranges.filter(({ count }) => count > 0).map((r) => nameOf(scriptId, r, counts)),
          ),
        )
        .filter((name) => !known.has(name))
    },
    accept(ground) {
      for (const name of ground) {
        const [block = '', count] = name.split('*')
        blocks.add(block)
        if (count !== undefined) counted.add(name)
      }
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

/**
 * With counts, a block that runs ten times as often as before counts as new coverage, so that inputs with
 * more loop iterations survive.
 */
function nameOf(
  script: string,
  { startOffset, endOffset, count }: Profiler.CoverageRange,
  counts: boolean,
): string {
  const block = `${script}:${startOffset}:${endOffset}`
  return counts ? `${block}*${Math.min(4, Math.floor(Math.log10(count)))}` : block
}
