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
