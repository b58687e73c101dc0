import { hasRole, type MemberRole } from '../../../accounts/members/members.ts'
import { type Html, html } from '../../components/html.ts'
import { type Page, tabs } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'

/**
 * A page of the settings, below their heading and tabs.
 * @param page.path the tab that it belongs to.
 * @param page.role of the reader, who sees the tabs that the role may open. Default: all.
 */
export function settingsPage(
  { account, alerts, frame, members, keys }: Texts,
  page: Pick<Page, 'title' | 'scripts' | 'hasSecret'> & {
    readonly path: string
    readonly role?: MemberRole
    readonly main: Html
  },
): Page {
  const { path, main, role = 'owner', ...rest } = page
  const items = [
    { href: '/settings/keys', label: keys.title, least: 'member' },
    { href: '/settings/alerts', label: alerts.title, least: 'admin' },
    { href: '/settings/members', label: members.title, least: 'viewer' },
    { href: '/settings/account', label: account.accountTab, least: 'viewer' },
  ] as const
  const open = items.filter(({ least }) => hasRole(role, least))
  return {
    ...rest,
    section: 'settings',
    // Each tab has the same width: the heading would jump otherwise.
    wide: true,
    main: html`<h1>${frame.settings}</h1>${tabs(open, path, frame.section)}\n${main}`,
  }
}
