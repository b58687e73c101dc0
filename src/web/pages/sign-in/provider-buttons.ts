import { type Html, html, nothing } from '../../components/html.ts'
import { carriedField } from '../../kept-forms/kept-form-view.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { WebSettings } from '../services.ts'
import { nextField } from './next-field.ts'

/** A button per OpenID Connect provider, which leads to it; nothing without providers. */
export function providerButtons(
  { account }: Texts,
  { providers }: WebSettings,
  after: { readonly next?: string | undefined; readonly kept?: string | undefined },
): Html {
  if (!providers || providers.size === 0) return nothing
  const forms = [...providers.values()].map(
    ({ id, label }) =>
      html`<form method="post" action="/signin/with/${id}">${carriedField(after.kept)}${nextField(after)}
<button class="quiet">${account.signInWith(label)}</button></form>`,
  )
  return html`<p class="faint">${account.or}</p><div class="providers">${forms}</div>`
}
