import type { Run } from '../../turns/run/run.ts'

/** A response is a run under another name, and its function call items are numbered: no table maps the ones to the others. */

const runPrefix = 'run_'
const responsePrefix = 'resp_'
const itemPrefix = 'fc_'

export function responseId(run: Pick<Run, 'id'>): string {
  return responsePrefix + run.id.slice(runPrefix.length)
}

/** The run behind a response id; what is none names nothing, and misses in the same query as any other id. */
export function runIdOf(id: string): string {
  return id.startsWith(responsePrefix) ? runPrefix + id.slice(responsePrefix.length) : ''
}

/** The item of the call with this number (from 0) among those of a response. */
export function callItemId(run: Pick<Run, 'id'>, index: number): string {
  return `${itemPrefix}${run.id.slice(runPrefix.length)}_${index}`
}

/** The run and the number behind the id of a function call item; undefined for other ids. */
export function callItemOf(id: string): { readonly runId: string; readonly index: number } | undefined {
  const [, run, index] = /^fc_(\w+)_(\d{1,4})$/.exec(id) ?? []
  return run === undefined ? undefined : { runId: runPrefix + run, index: Number(index) }
}
