/** Resources of the run's account, so that requests contain existing ids. */
export type Things = {
  readonly key: string
  readonly cookie: string
  readonly projectId: string
  readonly sessionId: string
  readonly runId: string
  readonly fileId: string
  /** Another account, which the operator's pages may change. */
  readonly otherAccountId: string
}

/** The id that follows a segment of a path. */
function idAfter(segment: string, things: Things): string {
  const ids: Readonly<Record<string, string>> = {
    projects: things.projectId,
    sessions: things.sessionId,
    runs: things.runId,
    files: things.fileId,
    accounts: things.otherAccountId,
    responses: things.runId.replace('run_', 'resp_'),
    models: 'service',
    sources: 'Tanya, Part I; Likkutei Amarim 1:1',
    work: 'Concepts of Chassidut',
    read: 'Concepts of Chassidut, Simcha 1',
    fonts: 'latin.woff2',
    assets: 'base.css',
    docs: 'page.css',
  }
  return ids[segment] ?? 'none'
}

/** A path with ids for `{id}` and `:id`: those of the account, or `own` for all. */
export function pathWithIds(template: string, things: Things, own?: string): string {
  const segments = template.split('/')
  return segments
    .map((segment, n) => {
      if (segment === '*') return 'none'
      if (!/^(\{\w+\}|:\w+)$/.test(segment)) return segment
      return own ?? encodeURIComponent(idAfter(segments[n - 1] ?? '', things))
    })
    .join('/')
}
