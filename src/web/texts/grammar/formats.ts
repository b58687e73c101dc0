import { html } from 'hono/html'

export type Formats = ReturnType<typeof formatsOf>

type Units = {
  readonly bytes: readonly [string, string, string, string, string]
  /** A duration that rounds to no tenth of a second. */
  readonly underTenth: string
  readonly seconds: (value: string) => string
  readonly minutes: (minutes: string, seconds: string) => string
}

/**
 * Numbers, sizes and times in the words of a language. Times are in UTC; `frame.js` shows those with `data-time` in the
 * reader's zone.
 * @param tag the language, as a BCP 47 tag.
 */
export function formatsOf(tag: string, units: Units) {
  const dayFormat = formatOf(tag, { dateStyle: 'medium' })
  const shortFormat = formatOf(tag, { day: 'numeric', month: 'short' })
  const minuteFormat = formatOf(tag, { dateStyle: 'medium', timeStyle: 'short' })
  return {
    number: (value: number) => value.toLocaleString(tag),
    /** A size such as `12.5 MB`; a kilobyte has 1,024 bytes, as in the plans. */
    bytes: bytesIn(tag, units),
    /** A duration such as `3.2 s` or `2 min 5 s`. */
    duration: durationIn(units),
    /** A day. The tooltip has the minute, and the markup has the machine-readable time. */
    day: (date: Date) => {
      const title = `${minuteFormat(date)} UTC`
      const text = dayFormat(date)
      return html`<time class="nowrap" data-time="day" datetime="${date.toISOString()}" title="${title}">${text}</time>`
    },
    /** A day and its minute, with its zone. */
    minute: (date: Date) =>
      html`<time class="nowrap" data-time="minute" datetime="${date.toISOString()}">${minuteFormat(date)} UTC</time>`,
    /** Such as `21 Nov`. Isolated, because the label of a chart stands in a picture that runs from left to right. */
    shortDay: (date: Date) => `\u2068${shortFormat(date)}\u2069`,
    /** Such as `Hebrew` for `he`; the code itself if the language has no name. */
    languageName: namesIn(tag),
  }
}

/** Made by its first use: the first of a language takes some ms, and a start needs none. */
function formatOf(tag: string, style: Intl.DateTimeFormatOptions): (date: Date) => string {
  let format: Intl.DateTimeFormat | undefined
  return (date) => {
    format ??= new Intl.DateTimeFormat(tag, { ...style, timeZone: 'UTC' })
    return format.format(date)
  }
}

function bytesIn(tag: string, units: Units) {
  return (bytes: number) => {
    const unit = bytes < 1_024 ? 0 : Math.min(units.bytes.length - 1, Math.floor(Math.log2(bytes) / 10))
    const value = bytes / 1_024 ** unit
    const maximumFractionDigits = unit === 0 || value >= 100 ? 0 : 1
    return `${value.toLocaleString(tag, { maximumFractionDigits })} ${units.bytes[unit]}`
  }
}

function durationIn(units: Units) {
  return (ms: number) => {
    const tenths = Math.round(ms / 100)
    if (tenths === 0) return units.underTenth
    if (tenths < 600) return units.seconds((tenths / 10).toFixed(1))
    // Rounded once, before the split into minutes: 119.9 s is 2 min, not 1 min 60 s.
    const seconds = Math.round(ms / 1_000)
    return units.minutes(String(Math.floor(seconds / 60)), String(seconds % 60))
  }
}

function namesIn(tag: string) {
  let names: Intl.DisplayNames | undefined
  return (code: string) => {
    try {
      names ??= new Intl.DisplayNames(tag, { type: 'language', fallback: 'code' })
      return names.of(code) ?? code
    } catch {
      return code
    }
  }
}
