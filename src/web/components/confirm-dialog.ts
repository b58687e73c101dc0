import { type Html, html, nothing } from './html.ts'

/** A button that opens a question; the question has the form. For steps that cannot be undone. */
export function confirmDialog(options: {
  readonly label: string
  readonly question?: unknown
  /** Where the form is sent. */
  readonly action: string
  /** The label of the button that sends the form. */
  readonly confirm: string
  readonly fields?: Html
}): Html {
  const { label, question, action, confirm, fields } = options
  return html`<details class="confirm"><summary class="button quiet danger">${label}</summary>
<form method="post" action="${action}">
${question ? html`<p>${question}</p>` : nothing}
${fields}<button class="danger">${confirm}</button></form></details>`
}
