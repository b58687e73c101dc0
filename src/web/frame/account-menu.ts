import { type Html, html } from '../components/html.ts'
import type { Texts } from '../texts/catalogue.ts'
import type { Visitor } from '../visitors/visitor.ts'
import { type Link, navLink, type Section } from './nav-link.ts'
import { languageSwitch } from './switches.ts'

/**
 * A round button with the first letter of the e-mail address, and the menu that it opens. A popover closes with Escape
 * and gives the focus back without scripts.
 */
export function accountMenu(t: Texts, visitor: Visitor, section: Section | undefined, here: string): Html {
  const { email } = visitor.person
  return html`<button type="button" class="quiet account-button" popovertarget="account"
aria-label="${t.frame.account}">${email.slice(0, 1).toUpperCase()}</button>
<div class="account-menu menu-list" id="account" popover>
<p class="email" dir="ltr">${email}</p>
<nav aria-label="${t.frame.account}">${linksFor(t, visitor).map((link) => navLink(link, section))}</nav>
${languageSwitch(t, here)}
<form method="post" action="/signout"><button>${t.frame.signOut}</button></form></div>`
}

function linksFor({ frame }: Texts, { person: { operator }, role }: Visitor): readonly Link[] {
  const settings = role === 'viewer' ? '/settings/members' : '/settings/keys'
  const own: readonly Link[] = [
    { id: 'usage', href: '/usage', label: frame.usage },
    { id: 'settings', href: settings, label: frame.settings },
  ]
  return operator ? [...own, { id: 'operator', href: '/operator', label: frame.operator }] : own
}
