import { type Html, html } from '../../components/html.ts'
import { type Page, tabs } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** A page for operators, below their heading and tabs. @param page.path the tab that it belongs to. */
export function operatorPage(
  { frame, operator: { accounts } }: Texts,
  page: Pick<Page, 'title' | 'scripts'> & { readonly path: string; readonly main: Html },
): Page {
  const { path, main, ...rest } = page
  const items = [
    { href: '/operator', label: accounts.tabs.accounts },
    { href: '/operator/audit', label: accounts.tabs.audit },
    { href: '/operator/runs', label: accounts.tabs.turns },
    { href: '/operator/feedback', label: accounts.tabs.feedback },
    { href: '/operator/library', label: accounts.tabs.library },
    { href: '/operator/health', label: accounts.tabs.health },
  ]
  return {
    ...rest,
    section: 'operator',
    wide: true,
    sheets: ['operator'],
    main: html`<h1>${accounts.operator}</h1>${tabs(items, path, frame.section)}\n${main}`,
  }
}
