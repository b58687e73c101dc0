import type { Texts } from '../texts/catalogue.ts'
import { type Html, html } from './html.ts'

/**
 * A text with a button that copies it. The page needs the script `copy.js`; without it the button stays hidden.
 * @param field.id unique on the page.
 * @param field.what names the text for screen readers.
 */
export function copyField(
  t: Texts,
  field: { readonly id: string; readonly text: string; readonly what: string },
): Html {
  return html`<div class="copyable"><pre tabindex="0" dir="ltr" role="group"
aria-label="${field.what}"><code id="${field.id}">${field.text}</code></pre>
${copyButton(t, field.id, t.common.copyWhat(field.what))}</div>`
}

/** The button alone, for the text of the element with the id `id`. */
export function copyButton({ common, frame }: Texts, id: string, label: string): Html {
  return html`<button class="quiet small for-scripts" type="button" data-copy="${id}" data-copied="${frame.copied}"
data-selected="${frame.selected}" aria-label="${label}" hidden>${common.copy}</button>`
}
