/** Something that was not imported, or that needs a check, with the reason. */
export type Remark = { readonly what: string; readonly why: string }

export type SefariaReport = {
  /** Number of new or changed works. */
  readonly works: number
  readonly versions: number
  readonly segments: number
  readonly words: number
  /** Number of versions that the library already has with the same content. */
  readonly unchanged: number
  /** Number of written versions that are machine translations. */
  readonly machineMade: number
  readonly links: number
  /** Files and versions skipped by rule: by licence, empty, merged. */
  readonly skipped: readonly Remark[]
  /** Files and versions that could not be read or stored. */
  readonly failed: readonly Remark[]
  /** Imported versions that the operator should check. */
  readonly remarks: readonly Remark[]
  /** Whether the import was stopped before its end. */
  readonly interrupted: boolean
  readonly seconds: number
  readonly wordsPerSecond: number
  readonly segmentsPerSecond: number
  /** Time spent per stage, in seconds. Reading and parsing overlap with storing. */
  readonly secondsIn: {
    readonly reading: number
    readonly parsing: number
    readonly storing: number
    readonly indexing: number
  }
}

export type Stage = keyof SefariaReport['secondsIn']

type Counts = Pick<
  SefariaReport,
  'works' | 'versions' | 'segments' | 'words' | 'unchanged' | 'machineMade' | 'links'
>

/** Collects the report during the import. */
export class ReportBuilder {
  readonly #started = performance.now()
  readonly #counts = { works: 0, versions: 0, segments: 0, words: 0, unchanged: 0, machineMade: 0, links: 0 }
  readonly #remarks = { skipped: [] as Remark[], failed: [] as Remark[], remarks: [] as Remark[] }
  readonly #milliseconds: Record<Stage, number> = { reading: 0, parsing: 0, storing: 0, indexing: 0 }

  count(counts: Partial<Counts>): void {
    for (const [name, n] of Object.entries(counts)) this.#counts[name as keyof Counts] += n
  }

  note(list: 'skipped' | 'failed' | 'remarks', what: string, why: string): void {
    this.#remarks[list].push({ what, why })
  }

  /** Runs `work` and adds its time to a stage. */
  async timed<T>(stage: Stage, work: () => Promise<T> | T): Promise<T> {
    const from = performance.now()
    try {
      return await work()
    } finally {
      this.#milliseconds[stage] += performance.now() - from
    }
  }

  get counts(): Readonly<Counts> {
    return this.#counts
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000
  }

  finish(interrupted: boolean): SefariaReport {
    const seconds = this.seconds
    const inStage = (stage: Stage): number => round(this.#milliseconds[stage] / 1000)
    return {
      ...this.#counts,
      skipped: inOrder(this.#remarks.skipped),
      failed: inOrder(this.#remarks.failed),
      remarks: inOrder(this.#remarks.remarks),
      interrupted,
      seconds: round(seconds),
      wordsPerSecond: Math.round(this.#counts.words / seconds),
      segmentsPerSecond: Math.round(this.#counts.segments / seconds),
      secondsIn: {
        reading: inStage('reading'),
        parsing: inStage('parsing'),
        storing: inStage('storing'),
        indexing: inStage('indexing'),
      },
    }
  }
}

/** Sorts remarks, because files are read concurrently and the report must not depend on their speed. */
function inOrder(remarks: readonly Remark[]): readonly Remark[] {
  return remarks.toSorted((a, b) => (a.what < b.what ? -1 : a.what > b.what ? 1 : 0))
}

function round(seconds: number): number {
  return Math.round(seconds * 100) / 100
}

const maxShown = 20

/** Formats the report as lines of text. Long lists are counted by reason. */
export function reportLines(report: SefariaReport): readonly string[] {
  const { reading, parsing, storing, indexing } = report.secondsIn
  return [
    `${report.works} works, ${report.versions} versions, ${report.segments} segments, ${report.words} words` +
      ` (${report.unchanged} versions unchanged, ${report.machineMade} machine-made${report.links > 0 ? `, ${report.links} links` : ''})`,
    `${report.seconds} s: ${report.segmentsPerSecond} segments/s, ${report.wordsPerSecond} words/s` +
      ` (reading ${reading} s, parsing ${parsing} s, storing ${storing} s, indexing ${indexing} s)`,
    ...listed('skipped', report.skipped),
    ...listed('note', report.remarks),
    ...listed('FAILED', report.failed),
    ...(report.interrupted ? ['Stopped before the end; run the same command again to go on.'] : []),
  ]
}

function listed(label: string, remarks: readonly Remark[]): readonly string[] {
  if (remarks.length <= maxShown) return remarks.map(({ what, why }) => `  ${label}: ${what}: ${why}`)
  const byReason = [...Map.groupBy(remarks, ({ why }) => why)].slice(0, maxShown)
  return byReason.map(([why, same]) => `  ${label}: ${same.length} × ${why} (such as ${same[0]?.what})`)
}
