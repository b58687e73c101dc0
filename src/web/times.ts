import { type Html, html } from './html.ts'

const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A day; the minute (UTC) stands behind it, and the machine-readable instant in the markup. */
export function moment(date: Date): Html {
  return html`<time class="nowrap" datetime="${date.toISOString()}" title="${minute.format(date)} UTC">${day.format(date)}</time>`
}

/** A day and its minute, in UTC. */
export function instant(date: Date): Html {
  return html`<time class="nowrap" datetime="${date.toISOString()}">${minute.format(date)}</time>`
}

/** Such as `3.2 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`
}
