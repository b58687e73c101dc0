import { selectField } from '../../components/fields.ts'
import { type Html, hiddenFields, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

type FormValues = {
  readonly q?: string
  readonly language?: string | undefined
  /** A work to search in, as a field that can be changed. */
  readonly work?: string | undefined
  /** Filters that stay when the words change. */
  readonly kept?: Readonly<Record<string, string | undefined>>
  /** Fields for years, if they have to be corrected. */
  readonly years?: Html
  /** Languages of the library; without them Hebrew and English. */
  readonly languages?: readonly string[]
}

/** The form that searches the library. */
export function searchForm(
  t: Texts,
  { q, language, work, kept = {}, years = nothing, languages = ['he', 'en'] }: FormValues,
): Html {
  const options = languages.map((code) => ({ value: code, label: t.languageName(code) }))
  return html`<form class="search" role="search" action="/library/search">
<label class="search-words">${t.search.label} <input type="search" name="q" required maxlength="1000" dir="auto"
value="${q ?? ''}" placeholder="${t.search.hint}"></label>
${selectField({
  label: t.search.language,
  name: 'language',
  options: [{ value: '', label: t.search.anyLanguage }, ...options],
  selected: language ?? '',
})}
${work === undefined ? nothing : workField(t, work)}
${hiddenFields(kept)}${years}<button>${t.search.search}</button></form>`
}

function workField(t: Texts, work: string): Html {
  return html`<label>${t.search.only} <input name="work" maxlength="300" dir="auto" value="${work}"></label>`
}

/** Lists to choose from: beside the results on wide windows; on others a drawer, which its button opens. */
export function filterDrawer({ library }: Texts, lists: Html): Html {
  if (lists === nothing) return nothing
  return html`<button type="button" class="quiet shelf-button" popovertarget="shelves">${library.filter}</button>
<div class="drawer shelf-drawer" id="shelves" popover>${lists}</div>`
}

/** What to do about a book that is missing: operators add it, and others ask them. */
export function missingBook({ library }: Texts, isOperator: boolean): Html | string {
  return isOperator ? library.addBooks : library.missingBook
}
