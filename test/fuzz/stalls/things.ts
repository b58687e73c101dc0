/** What the account of a run has, so that requests name things that exist. */
export type Things = {
  readonly key: string
  readonly cookie: string
  readonly projectId: string
  readonly sessionId: string
  readonly runId: string
  readonly fileId: string
  /** Another account, on which the operator's pages may do anything. */
  readonly otherAccountId: string
}

/** What stands before an id in a path, and whose id comes there. */
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

/** A path with ids in place of `{id}` and `:id`: those of the account, or `own` for each. */
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
