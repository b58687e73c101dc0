import type { Remark, SefariaReport } from '../importers/sefaria/report.ts'

/** What a job keeps of its report. */
export type JobSummary = {
  readonly works: number
  readonly versions: number
  readonly segments: number
  readonly unchanged: number
  readonly seconds: number
  /** Reasons why files were left out or failed, with their numbers. */
  readonly leftOut: readonly { readonly why: string; readonly files: number }[]
  readonly failed: number
}

const maxReasons = 12

/** The columns `report` and `error` of a job that ended. */
export function summaryOf(report: SefariaReport): { readonly report: JobSummary; readonly error?: string } {
  const { works, versions, segments, unchanged, seconds, skipped, failed } = report
  const [fault] = failed
  return {
    report: {
      works,
      versions,
      segments,
      unchanged,
      seconds,
      leftOut: countReasons([...skipped, ...failed]),
      failed: failed.length,
    },
    ...(fault && { error: `${fault.what}: ${fault.why}` }),
  }
}

function countReasons(remarks: readonly Remark[]): JobSummary['leftOut'] {
  return [...Map.groupBy(remarks, ({ why }) => why)]
    .map(([why, same]) => ({ why, files: same.length }))
    .toSorted((a, b) => b.files - a.files)
    .slice(0, maxReasons)
}
