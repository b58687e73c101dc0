/** Sends feedback on an answer without leaving the place, and offers a note. Without scripts the page reloads. */
import { toast } from './frame.js'

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
  if (!(await isTaken(form.action, body))) return toast(form.dataset['failed'] ?? '')
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
  if (isNote) toast(form.dataset['sent'] ?? '')
}

/**
 * @param {string} address
 * @param {URLSearchParams} body
 */
async function isTaken(address, body) {
  try {
    const response = await fetch(address, { method: 'POST', body })
    const isSignedOut = new URL(response.url).pathname === '/signin'
    return response.ok && !isSignedOut
  } catch {
    return false
  }
}

/** @param {HTMLFormElement} form */
function noteOf(form) {
  return form.querySelector('textarea')?.value ?? ''
}
