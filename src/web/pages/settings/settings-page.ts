import { type Html, html } from '../../components/html.ts'
import { type Page, tabs } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** A page of the settings, below their heading and tabs. @param page.path the tab that it belongs to. */
export function settingsPage(
  { account, alerts, frame }: Texts,
  page: Pick<Page, 'title' | 'scripts'> & { readonly path: string; readonly main: Html },
): Page {
  const { path, main, ...rest } = page
  const items = [
    { href: '/settings/keys', label: account.keysTab },
    { href: '/settings/alerts', label: alerts.tab },
    { href: '/settings/account', label: account.accountTab },
  ]
  return {
    ...rest,
    section: 'settings',
    // Each tab has the same width: the heading would jump otherwise.
    wide: true,
    main: html`<h1>${account.settings}</h1>${tabs(items, path, frame.section)}\n${main}`,
  }
}
