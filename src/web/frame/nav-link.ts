import { type Html, html, nothing } from '../components/html.ts'

export type Section =
  | 'ask'
  | 'library'
  | 'sheets'
  | 'projects'
  | 'usage'
  | 'settings'
  | 'operator'
  | 'reference'

export type Link = { readonly id: Section; readonly href: string; readonly label: string }

/** A link of the navigation; that of the page's own section is marked. */
export function navLink({ id, href, label }: Link, section: Section | undefined): Html {
  return html`<a href="${href}"${id === section ? html` aria-current="page"` : nothing}>${label}</a>`
}
