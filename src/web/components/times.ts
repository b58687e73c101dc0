import { type Html, html } from './html.ts'

const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A day and its minute, in UTC. */
export function formatDateTime(date: Date): Html {
  return html`<time class="nowrap" datetime="${date.toISOString()}">${minute.format(date)}</time>`
}

/** A duration such as `3.2 s` or `2 min 5 s`. */
export function formatDuration(ms: number): string {
  const tenths = Math.round(ms / 100)
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`
  // Rounded once, before the split into minutes: 119.9 s is 2 min, not 1 min 60 s.
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}
