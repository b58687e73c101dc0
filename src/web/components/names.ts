import type { Texts } from '../texts/catalogue.ts'
import { type Html, html, nothing } from './html.ts'

/** A title or a ref in both languages; `he` is empty where the library has no Hebrew one. */
export type Names = { readonly en: string; readonly he: string }

/** The name in the language of the page; English where there is no Hebrew one. */
export function nameIn({ language }: Pick<Texts, 'language'>, { en, he }: Names): string {
  return language === 'he' && he.trim() !== '' ? he : en
}

/** A link with the name in the language of the page, and the other name beside it. */
export function namedLink(t: Texts, href: string, names: Names, className = ''): Html {
  const { en, he } = names
  const isHebrew = nameIn(t, names) === he
  const second = isHebrew ? html`<bdi class="other-name" dir="auto">${en}</bdi>` : hebrewName(he)
  const direction = isHebrew ? html`lang="he" dir="rtl"` : html`dir="auto"`
  return html`<a class="${className}" href="${href}" ${direction}>${isHebrew ? he : en}</a> ${
    he.trim() === '' || he === en ? nothing : second
  }`
}

/** The heading of a page, with the other name beside it. */
export function namedHeading(t: Texts, names: Names): Html {
  const { en, he } = names
  if (nameIn(t, names) === en)
    return html`<h1 dir="auto">${en}</h1>${he ? html`<p lang="he" dir="rtl">${he}</p>` : nothing}`
  return html`<h1 lang="he" dir="rtl">${he}</h1><p class="other-name" dir="auto">${en}</p>`
}

function hebrewName(he: string): Html {
  return html`<span class="he-ref" lang="he" dir="rtl">${he}</span>`
}
