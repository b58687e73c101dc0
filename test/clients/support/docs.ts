import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Adapter } from './adapter.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/clients.md'), 'utf8')

const retried = ['busy session', 'too many turns', 'internal error', 'model failed', 'shutting down'] as const

/** The row that the table in docs/clients.md must have for a client. */
export function rowOf({ name, shows, troubles }: Adapter): string {
  const attempts = retried.map((trouble) => troubles[trouble].attempts)
  const cells = [
    name,
    shown(shows.whole),
    shown(shows.streamed),
    attempts.map((count) => (count === 'repeats' ? 'more' : count)).join(' '),
  ]
  return `| ${cells.join(' | ')} |`
}

/** What a client shows, as `all` with what is missing. */
function shown(parts: Adapter['shows']['whole']): string {
  const missing = (['cost', 'files', 'links', 'session', 'sources'] as const).filter(
    (part) => !parts.includes(part),
  )
  return ['all', ...(missing.length > 0 ? [`but ${missing.join(', ')}`] : [])].join(' ')
}

/** The rows of the page, without the padding of its columns. */
export const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.replaceAll(/ +/g, ' '))

/** Whether the page links to a file of `examples/`. */
export function linksTo(file: string): boolean {
  return page.includes(`](../examples/${file})`)
}
