import { type Html, html } from './html.ts'

/** Codes of languages that are written from right to left. */
const rightToLeft: ReadonlySet<string> = new Set(['he', 'yi', 'arc', 'ar', 'jrb', 'lad'])

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'code' })

/** Such as `Hebrew` for `he`. */
export function languageName(code: string): string {
  try {
    return names.of(code) ?? code
  } catch {
    return code
  }
}

/** Decided by the language, not by the first letter: an English text may start with a Hebrew word. */
export function directionOf(language: string): 'rtl' | 'ltr' {
  return rightToLeft.has(language) ? 'rtl' : 'ltr'
}

type Span = { readonly start: number; readonly end: number }

/**
 * A text with some of its words highlighted. The spans come in order; overlapping ones are highlighted once.
 */
export function markedText(text: string, spans: readonly Span[]): Html {
  const pieces: unknown[] = []
  let at = 0
  for (const { start, end } of spans) {
    const from = Math.max(at, start)
    if (end <= from) continue
    pieces.push(text.slice(at, from), html`<mark>${text.slice(from, end)}</mark>`)
    at = end
  }
  return html`${pieces}${text.slice(at)}`
}

/** A text with links to the refs that it names, and with some of its words highlighted. Both come in order. */
export function linkedText(
  text: string,
  links: readonly (Span & { readonly href: string })[],
  spans: readonly Span[] = [],
): Html {
  const part = (from: number, to: number) =>
    markedText(
      text.slice(from, to),
      spans.flatMap(({ start, end }) =>
        start < to && end > from ? [{ start: Math.max(start - from, 0), end: Math.min(end, to) - from }] : [],
      ),
    )
  let at = 0
  const pieces = links.map(({ start, end, href }) => {
    const before = part(at, start)
    at = end
    return html`${before}<a class="ref" href="${href}">${part(start, end)}</a>`
  })
  return html`${pieces}${part(at, text.length)}`
}

/**
 * A link to the origin of a text. URLs that are not http(s) are shown without a link.
 * @param name what screen readers call the link, which they list without the words around it; default: the label.
 */
export function sourceLink(url: string, label: string, name = label): Html {
  if (url === '') return html``
  if (!/^https?:\/\//i.test(url)) return html`<span class="url" dir="ltr">${url}</span>`
  return html`<a href="${url}" rel="noopener noreferrer" aria-label="${name}">${label}</a>`
}
