import { type Html, html, nothing } from './html.ts'

/**
 * A button that opens a question; the question has the form. For steps that cannot be undone. The script of every page
 * makes it a dialog.
 */
export function confirmDialog(options: {
  readonly label: string
  readonly question?: unknown
  /** Where the form is sent. */
  readonly action: string
  /** The label of the button that sends the form. */
  readonly confirm: string
  /** The label of the button that closes the dialog. */
  readonly cancel: string
  readonly fields?: Html
  /** The id of the element that says what it is about, where several buttons have the same label. */
  readonly describedBy?: string
  /** Shown at once, because the form came back with an error. */
  readonly isOpen?: boolean
}): Html {
  const { label, question, action, confirm, cancel, fields, isOpen, describedBy } = options
  const about = describedBy === undefined ? nothing : html` aria-describedby="${describedBy}"`
  const open = isOpen ? html` open` : nothing
  return html`<details class="confirm" data-cancel="${cancel}"${open}>
<summary class="button quiet danger"${about}>${label}</summary>
<form method="post" action="${action}">
${question ? html`<p>${question}</p>` : nothing}
${fields}<button class="danger">${confirm}</button></form></details>`
}
