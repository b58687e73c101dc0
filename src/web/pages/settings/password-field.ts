import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** The field by which the owner confirms a change of the account. */
export function passwordField({ account }: Texts, label = account.currentPassword): Html {
  return html`<label>${label}
<input type="password" name="current" autocomplete="current-password" required></label>`
}
