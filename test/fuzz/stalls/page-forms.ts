import { Parser } from 'htmlparser2'

/** A form of a page, with the initial values of its fields. */
export type PageForm = {
  readonly method: 'GET' | 'POST'
  readonly action: string
  readonly isMultipart: boolean
  readonly fields: Readonly<Record<string, string>>
}

/** The forms of a page, and the URLs of its links. */
export type PageParts = { readonly forms: readonly PageForm[]; readonly links: readonly string[] }

type Attributes = Readonly<Record<string, string>>

/** @param at URL of the page, for forms without an action. */
export function partsOf(html: string, at: string): PageParts {
  const links: string[] = []
  const reader = new FormReader(at)
  const parser = new Parser({
    onopentag(name, attributes) {
      if (name === 'a' && attributes['href']?.startsWith('/')) links.push(attributes['href'])
      reader.open(name, attributes)
    },
  })
  parser.write(html)
  parser.end()
  return { forms: reader.forms, links }
}

/** Collects forms and their fields from elements in document order. */
class FormReader {
  readonly forms: PageForm[] = []
  readonly #at: string
  #fields: Record<string, string> = {}
  #list = ''

  constructor(at: string) {
    this.#at = at
  }

  open(element: string, attributes: Attributes): void {
    const { name = '', value = '' } = attributes
    if (element === 'form') this.#begin(attributes)
    if (element === 'select') this.#list = name
    if (element === 'option') this.#choose(value, 'selected' in attributes)
    if (['input', 'textarea', 'select'].includes(element) && name !== '') this.#fields[name] ??= value
  }

  #begin({ method, action, enctype }: Attributes): void {
    this.#fields = {}
    this.forms.push({
      method: method === 'post' ? 'POST' : 'GET',
      action: action ?? this.#at,
      isMultipart: enctype === 'multipart/form-data',
      fields: this.#fields,
    })
  }

  /** The value of a select is its first option, unless another one is selected. */
  #choose(value: string, marked: boolean): void {
    const held = this.#fields[this.#list]
    if (marked || held === undefined || held === '') this.#fields[this.#list] = value
  }
}
