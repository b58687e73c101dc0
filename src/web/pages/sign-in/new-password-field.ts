import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import { type Html, html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** The field for a new password, with the rule that it has to meet. */
export function newPasswordField({ account }: Texts, label: string, name: string): Html {
  return html`<label>${label} <input type="password" name="${name}" autocomplete="new-password"
minlength="${passwordLength.min}" required aria-describedby="rule"></label>
<p class="hint" id="rule">${account.passwordRule(passwordLength.min)}</p>`
}
