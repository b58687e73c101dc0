/** The reader: brings the passage into view, changes settings without a reload, and lists the chapters. */

import { pageAt } from './page-at.js'

// Scrolls to the quoted words or the passage that was asked for. Without scripts a link above the text leads there.
if (location.hash === '') {
  const asked =
    document.querySelector('.segments mark') ?? document.querySelector('.segment.here:not(:first-child)')
  asked?.scrollIntoView({ block: 'center' })
}

const settings = document.querySelector('.reading-settings')
if (settings instanceof HTMLFormElement) offerSettings(settings)
for (const menu of document.querySelectorAll('details[data-chapters]'))
  if (menu instanceof HTMLDetailsElement) offerChapters(menu)

/** @param {HTMLFormElement} form */
function offerSettings(form) {
  form.addEventListener('submit', async (event) => {
    const { submitter } = event
    if (!(submitter instanceof HTMLButtonElement)) return
    event.preventDefault()
    const reader = document.querySelector('.reader')
    // What only the style sheet needs is changed at once.
    if (reader instanceof HTMLElement && submitter.name !== 'points' && !submitter.disabled)
      reader.dataset[submitter.name] = submitter.value
    const body = new URLSearchParams({ [submitter.name]: submitter.value })
    try {
      await fetch(form.action, { method: 'POST', body, redirect: 'manual' })
      const page = await pageAt(location.href)
      updateSettings(form, page?.querySelector('.reading-settings'))
      if (submitter.name === 'points') replaceTexts(page)
    } catch {
      // Offline: the setting holds for this page.
    }
  })
}

/**
 * Changes the buttons in place, so that the focus stays.
 * @param {HTMLFormElement} form
 * @param {Element | null | undefined} fresh
 */
function updateSettings(form, fresh) {
  const buttons = [...form.querySelectorAll('button')]
  for (const [at, next] of [...(fresh?.querySelectorAll('button') ?? [])].entries()) {
    const button = buttons[at]
    if (!button) continue
    button.value = next.value
    button.disabled = next.disabled
    const pressed = next.getAttribute('aria-pressed')
    if (pressed !== null) button.setAttribute('aria-pressed', pressed)
  }
}

/** @param {Document | undefined} page */
function replaceTexts(page) {
  for (const segment of document.querySelectorAll('.segment')) {
    const fresh = page?.getElementById(segment.id)?.querySelector('.columns')
    if (fresh) segment.querySelector('.columns')?.replaceWith(document.importNode(fresh, true))
  }
}

/**
 * Lists the chapters of the part when the menu is opened for the first time.
 * @param {HTMLDetailsElement} menu
 */
function offerChapters(menu) {
  menu.addEventListener(
    'toggle',
    async () => {
      const body = menu.querySelector('.menu-body')
      const page = await pageAt(menu.dataset['chapters'] ?? '').catch(() => undefined)
      const here = document.querySelector('h1')?.textContent ?? ''
      const isHere = (/** @type {HTMLAnchorElement} */ link) =>
        link.title === here || link.pathname === location.pathname
      // A part with numbered chapters, or the entries of a lexicon.
      const lists = [...(page?.querySelectorAll('.part .chapters, .parts .part-list') ?? [])]
      const list = lists.find((one) => [...one.querySelectorAll('a')].some(isHere)) ?? lists[0]
      if (!list || !body) return
      for (const link of list.querySelectorAll('a'))
        if (isHere(link)) link.setAttribute('aria-current', 'page')
      body.prepend(document.importNode(list, true))
      body.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
    },
    { once: true },
  )
}
