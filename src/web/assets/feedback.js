/** Sends feedback on an answer without leaving the place, and offers a note. Without scripts the page reloads. */
document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event
  if (!(form instanceof HTMLFormElement) || !form.matches('.feedback')) return
  if (!(submitter instanceof HTMLButtonElement)) return
  event.preventDefault()
  void send(form, submitter)
})

/** @param {HTMLFormElement} form @param {HTMLButtonElement} button */
async function send(form, button) {
  const isNote = button.closest('.feedback-note') !== null
  const body = new URLSearchParams({ rating: button.value, note: isNote ? noteOf(form) : '' })
  const response = await fetch(form.action, { method: 'POST', body })
  if (!response.ok) return
  const wasPressed = button.getAttribute('aria-pressed') === 'true'
  const note = form.querySelector('.feedback-note')
  if (!(note instanceof HTMLDetailsElement)) return
  for (const other of form.querySelectorAll('button[aria-pressed]')) {
    if (!isNote) other.setAttribute('aria-pressed', String(other === button && !wasPressed))
  }
  for (const field of note.querySelectorAll('button')) field.value = button.value
  note.hidden = !isNote && wasPressed
  note.open = !isNote && !wasPressed
  if (note.open) note.querySelector('textarea')?.focus()
  else form.querySelector('button')?.focus()
}

/** @param {HTMLFormElement} form */
function noteOf(form) {
  return form.querySelector('textarea')?.value ?? ''
}
