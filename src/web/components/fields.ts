import type { Texts } from '../texts/catalogue.ts'
import { type Html, html, nothing } from './html.ts'

export type Option = { readonly value: string; readonly label: string }

/** A list to choose one value from, with its label. Without a `selected` value that it has, the first one is chosen. */
export function selectField(field: {
  readonly label: string
  readonly name: string
  readonly options: readonly Option[]
  readonly selected: string | undefined
}): Html {
  const { label, name, options, selected } = field
  const items = options.map((option) => optionOf(option, selected))
  return html`<label>${label} <select name="${name}">${items}</select></label>`
}

function optionOf({ value, label }: Option, selected: string | undefined): Html {
  const mark = value === selected ? html` selected` : nothing
  return html`<option value="${value}" dir="auto"${mark}>${label}</option>`
}

/** The field for a code of the second factor. Recovery codes have letters, so a phone shows its whole keyboard. */
export function codeField(label: string, { hasFocus = false } = {}): Html {
  return html`<label>${label} <input name="code" autocomplete="one-time-code" required maxlength="40" dir="ltr"
autocapitalize="none" spellcheck="false"${hasFocus ? html` autofocus` : nothing}></label>`
}

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

/**
 * A button that opens a question in a dialog; the question has the form. For steps that cannot be undone. The browser
 * opens it, also without scripts.
 */
export function confirmDialog(
  { common }: Texts,
  options: {
    readonly label: string
    readonly question?: unknown
    /** Where the form is sent. */
    readonly action: string
    /** The label of the button that sends the form. */
    readonly confirm: string
    readonly fields?: Html
    /** The id of the element that says what it is about, where several buttons have the same label. */
    readonly describedBy?: string
    /** Shown at once, because the form came back with an error. */
    readonly isOpen?: boolean
    /** The form can be undone. */
    readonly isSafe?: boolean
  },
): Html {
  const { label, question, action, confirm, fields, isOpen, describedBy, isSafe } = options
  const id = `ask${action.replaceAll('/', '-')}`
  const kind = isSafe ? '' : 'danger'
  const about = describedBy === undefined ? nothing : html` aria-describedby="${describedBy}"`
  // A second Enter does not do what cannot be undone.
  const focus = fields !== undefined ? nothing : html` autofocus`
  return html`<button type="button" class="quiet ${kind}" command="show-modal" commandfor="${id}"
aria-haspopup="dialog"${about}>${label}</button>
<dialog id="${id}" aria-labelledby="${id}-title"${question ? html` aria-describedby="${id}-question"` : nothing}${
    isOpen ? html` open` : nothing
  }><h2 id="${id}-title">${label.replace('…', '')}</h2>
<form method="post" action="${action}">${question ? html`<p id="${id}-question">${question}</p>` : nothing}
${fields}<button class="${kind}">${confirm}</button>
<button type="button" class="quiet cancel" command="close" commandfor="${id}"${focus}>${common.cancel}</button>
</form></dialog>`
}
