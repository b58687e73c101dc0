import type { Providers } from '../../../accounts/providers/providers.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { ownerField } from './owner-field.ts'

/** The providers, each with the form that connects or disconnects it; nothing without any. */
export function providersCard(
  t: Texts,
  providers: Providers | undefined,
  connected: ReadonlySet<string>,
  hasPassword: boolean,
): Html {
  const { account } = t
  if (!providers || providers.size === 0) return nothing
  const forms = [...providers.values()].map(({ id, label, issuer }) => {
    const path = `/settings/account/providers/${id}`
    if (!connected.has(issuer))
      return html`<form method="post" action="${path}/connect"><h3><bdi>${label}</bdi></h3>
${ownerField(t, hasPassword)}<button>${account.connect}</button></form>`
    const again = html`<form method="post" action="/signin/with/${id}">
<input type="hidden" name="next" value="/settings/account"><button class="quiet">${account.signInAgain}</button></form>`
    return html`<h3><bdi>${label}</bdi></h3><p>${account.connected}</p>${hasPassword ? nothing : again}
<form method="post" action="${path}/disconnect"><button class="quiet danger">${account.disconnect}</button></form>`
  })
  return html`<section class="card narrow-left providers"><h2>${account.providers}</h2>
<p>${account.providersHint}</p>${forms}</section>`
}
