import type { Account } from '../../../accounts/accounts.ts'
import { copyField } from '../../components/copy-field.ts'
import { html, nothing } from '../../components/html.ts'
import { notice, type Page } from '../../components/page.ts'
import { formatDateTime } from '../../components/times.ts'
import { operatorPage } from './operator-page.ts'

type ResetLink = {
  readonly url: string
  readonly expiresAt: Date
  /** Whether the operator has set the service's address. */
  readonly hasAppUrl: boolean
}

/** The one page that shows a password reset link. */
export function resetLinkPage(account: Account, { url, expiresAt, hasAppUrl }: ResetLink): Page {
  return operatorPage({
    title: 'Password reset link',
    path: '/operator',
    scripts: ['copy.js'],
    main: html`<section class="card narrow-left"><h2 dir="auto">Password reset link for ${account.email}</h2>
${notice('note', html`<b>Copy the link now.</b> It is shown only once.`)}
${copyField({ id: 'link', text: url, what: 'The link' })}
<p>Send it only to the owner of the account: anyone who opens it can set the password. It works once, until
${formatDateTime(expiresAt)} (UTC).</p>
${hasAppUrl ? nothing : addressHint}
<p><a class="button" href="/operator/accounts/${account.id}">Go to the account</a></p></section>`,
  })
}

const addressHint = html`<p class="hint">The link uses the address at which you opened this page. If others reach the
service at another address, replace it in the link, or set <code>APP_URL</code>.</p>`
