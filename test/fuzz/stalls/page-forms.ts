import { Parser } from 'htmlparser2'

/** A form of a page, with what its fields hold when nobody has touched them. */
export type PageForm = {
  readonly method: 'GET' | 'POST'
  readonly action: string
  readonly isMultipart: boolean
  readonly fields: Readonly<Record<string, string>>
}

/** What a page lets people do: its forms, and the addresses that it leads to. */
export type PageParts = { readonly forms: readonly PageForm[]; readonly links: readonly string[] }

type Attributes = Readonly<Record<string, string>>

/** @param at the address of the page, for forms without one. */
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

/** Takes forms and their fields from elements in order. */
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

  /** A list holds its first choice unless another one is marked. */
  #choose(value: string, marked: boolean): void {
    const held = this.#fields[this.#list]
    if (marked || held === undefined || held === '') this.#fields[this.#list] = value
  }
}
