import { type Profiler, Session } from 'node:inspector/promises'

/** Which blocks of code have run, and how often, by V8's own counters. */
export type Coverage = {
  /** What ran since the last look and was never seen before: blocks, and with `counts` how often each, roughly. */
  look(counts: boolean): Promise<readonly string[]>
  accept(ground: readonly string[]): void
  /** Blocks that have been seen in all. */
  readonly seen: number
  close(): Promise<void>
}

/** @param covers parts of the addresses of the files that count. */
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

/** With counts, a block that runs ten times as often as before is new ground too: so loops are driven further. */
function nameOf(
  script: string,
  { startOffset, endOffset, count }: Profiler.CoverageRange,
  counts: boolean,
): string {
  const block = `${script}:${startOffset}:${endOffset}`
  return counts ? `${block}*${Math.min(4, Math.floor(Math.log10(count)))}` : block
}
