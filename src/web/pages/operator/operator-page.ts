import { type Html, html } from '../../components/html.ts'
import { type Page, tabs } from '../../components/page.ts'

const items = [
  { href: '/operator', label: 'Accounts' },
  { href: '/operator/audit', label: 'Audit log' },
  { href: '/operator/library', label: 'Library' },
  { href: '/operator/health', label: 'Health' },
]

/** A page for operators, below their heading and tabs. @param page.path the tab that it belongs to. */
export function operatorPage(
  page: Pick<Page, 'title' | 'scripts'> & { readonly path: string; readonly main: Html },
): Page {
  const { path, main, ...rest } = page
  return {
    ...rest,
    section: 'operator',
    sheets: ['operator'],
    main: html`<h1>Operator</h1>${tabs(items, path)}\n${main}`,
  }
}
