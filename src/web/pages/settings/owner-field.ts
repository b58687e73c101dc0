import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/**
 * The field by which the owner confirms a change of the account: the current password. An account without one needs a
 * fresh sign-in instead, see `requireOwner`.
 */
export function ownerField({ account }: Texts, hasPassword: boolean, label = account.currentPassword): Html {
  if (!hasPassword) return html`<p class="hint">${account.freshSignIn}</p>`
  return html`<label>${label}
<input type="password" name="current" autocomplete="current-password" required></label>`
}
