import { type Html, html } from '../../components/html.ts'
import { type Page, tabs } from '../../components/page.ts'

const items = [
  { href: '/settings/keys', label: 'API keys' },
  { href: '/settings/account', label: 'Account' },
]

/** A page of the settings, below their heading and tabs. @param page.path the tab that it belongs to. */
export function settingsPage(
  page: Pick<Page, 'title' | 'scripts'> & { readonly path: string; readonly main: Html },
): Page {
  const { path, main, ...rest } = page
  return { ...rest, section: 'settings', main: html`<h1>Settings</h1>${tabs(items, path)}\n${main}` }
}
