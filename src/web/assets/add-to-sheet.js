/** Opens the form of `/sheets/add` in a dialog. Without scripts, and when it cannot be loaded, the link leads there. */

import { pageAt } from './page-at.js'

document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[data-add-to-sheet]') : null
  if (!(link instanceof HTMLAnchorElement)) return
  // A new tab is the browser's own.
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  event.preventDefault()
  void open(link)
})

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
  const chosen = form?.querySelector('select[name="sheet"]')
  const title = form?.querySelector('.new-title')
  if (!form || !(chosen instanceof HTMLSelectElement) || !(title instanceof HTMLElement)) return
  const showTitle = () => {
    title.hidden = chosen.value !== 'new'
  }
  chosen.addEventListener('change', showTitle)
  showTitle()
  form.addEventListener('submit', async (event) => {
    event.preventDefault()
    const problem = await send(form)
    if (problem === '') return dialog.close()
    const notice = form.querySelector('.notice') ?? document.createElement('p')
    notice.className = 'notice problem'
    notice.setAttribute('role', 'alert')
    notice.textContent = problem
    form.prepend(notice)
  })
}

/**
 * @param {HTMLFormElement} form
 * @returns why the passage was not added; empty when it was.
 */
async function send(form) {
  try {
    const body = new URLSearchParams()
    for (const [name, value] of new FormData(form)) body.append(name, String(value))
    const response = await fetch(form.action, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body,
    })
    const reply = await response.json()
    if (!response.ok) return String(reply.message)
    announce(String(reply.title), String(reply.href))
    return ''
  } catch {
    return form.dataset['failed'] ?? ''
  }
}

/**
 * Shows where the passage went, with a link, for some seconds.
 * @param {string} title
 * @param {string} href
 */
function announce(title, href) {
  const toast = document.createElement('p')
  toast.className = 'toast'
  toast.setAttribute('role', 'status')
  document.body.append(toast)
  const link = document.createElement('a')
  link.href = href
  link.dir = 'auto'
  link.textContent = title
  toast.append('✓ ', link)
  setTimeout(() => toast.remove(), 8_000)
}
