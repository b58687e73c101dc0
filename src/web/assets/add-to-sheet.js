/** Opens the form of `/sheets/add` in a dialog. Without scripts, and when it cannot be loaded, the link leads there. */

import { onFollow, toast } from './frame.js'
import { fieldsOf, pageAt } from './page-at.js'

onFollow('a[data-add-to-sheet]', (link) => void open(link))

/** @param {HTMLAnchorElement} link */
async function open(link) {
  const form = await formAt(link.href)
  if (form === undefined) {
    location.href = link.href
    return
  }
  const dialog = document.createElement('dialog')
  dialog.className = 'dialog'
  dialog.append(form)
  document.body.append(dialog)
  dialog.addEventListener('close', () => {
    dialog.remove()
    link.focus()
  })
  dialog.addEventListener('click', (event) => {
    // The backdrop belongs to the dialog.
    if (event.target === dialog) dialog.close()
  })
  offerSubmit(dialog)
  dialog.showModal()
}

/**
 * The form on the page of an address; undefined when the reader is signed out or offline.
 * @param {string} address
 */
async function formAt(address) {
  try {
    const page = await pageAt(address)
    const section = page?.querySelector('#add-to-sheet')
    if (!(section instanceof HTMLElement)) return undefined
    section.className = ''
    section.querySelector('p:last-child')?.remove()
    const title = section.querySelector('h1')
    if (title) {
      const heading = document.createElement('h2')
      heading.textContent = title.textContent
      title.replaceWith(heading)
    }
    return document.importNode(section, true)
  } catch {
    return undefined
  }
}

/** @param {HTMLDialogElement} dialog */
function offerSubmit(dialog) {
  const form = dialog.querySelector('form')
  form?.addEventListener('submit', async (event) => {
    event.preventDefault()
    const { title = '', href, message = '' } = await send(form)
    if (href !== undefined) {
      dialog.close()
      return toast(title, href)
    }
    const notice = form.querySelector('.notice') ?? document.createElement('p')
    notice.className = 'notice problem'
    notice.setAttribute('role', 'alert')
    notice.textContent = message
    form.prepend(notice)
  })
}

/**
 * @param {HTMLFormElement} form
 * @returns {Promise<{ title?: string, href?: string, message?: string }>} the sheet and the place of the passage in
 *   it; otherwise why the passage was not added.
 */
async function send(form) {
  try {
    const headers = { accept: 'application/json' }
    const response = await fetch(form.action, { method: 'POST', headers, body: fieldsOf(form) })
    return await response.json()
  } catch {
    return { message: form.dataset['failed'] ?? '' }
  }
}
