import { type Html, html } from '../components/html.ts'
import type { Texts } from '../texts/catalogue.ts'
import { type Theme, themes } from '../visitors/preferences.ts'

/** A button with the name of the other language. @param here path of the page that is shown again. */
export function languageSwitch({ frame }: Texts, here: string): Html {
  const { code, name } = frame.otherLanguage
  return html`<form class="language" method="post" action="/preferences">
<input type="hidden" name="next" value="${here}">
<button class="quiet" name="language" value="${code}" lang="${code}">${name}</button></form>`
}

/** Three buttons: the colours of the system, light, dark. */
export function colourSwitch({ frame }: Texts, theme: Theme, here: string): Html {
  return html`<form class="colours" method="post" action="/preferences">
<input type="hidden" name="next" value="${here}"><div class="switch" role="group" aria-label="${frame.theme}">
${themes.map(
  (one) =>
    html`<button name="theme" value="${one}" aria-pressed="${String(one === theme)}">${frame.themes[one]}</button>`,
)}</div></form>`
}
