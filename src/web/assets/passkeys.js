/**
 * Forms that need a passkey: `data-passkey` has the options for the browser, and `data-new` says that it makes a new
 * one. The browser's answer goes into the field `answer`. Without scripts, and in browsers without passkeys, they stay
 * hidden.
 */
import { toast } from './frame.js'

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!(form instanceof HTMLFormElement) || !('PublicKeyCredential' in window)) continue
  form.hidden = false
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    void send(form)
  })
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const field = form.elements.namedItem('answer')
  if (!(field instanceof HTMLInputElement)) return
  try {
    const credential = await ask(JSON.parse(form.dataset['passkey'] ?? ''), form.dataset['new'] !== undefined)
    if (!(credential instanceof PublicKeyCredential)) return
    field.value = JSON.stringify(credential.toJSON())
  } catch {
    // The person has cancelled, or the browser has no such passkey.
    return toast(form.dataset['failed'] ?? '')
  }
  form.submit()
}

/** @param {any} options @param {boolean} isNew */
function ask(options, isNew) {
  if (isNew)
    return navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    })
  return navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
}
