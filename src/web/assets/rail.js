/**
 * Keeps the list of conversations up to date: while one of them is answered, and when the reader comes back to the
 * page.
 */

import { partOf } from './page-at.js'

/** Milliseconds between two requests while a conversation other than that of the page is answered. */
const everyMs = 5_000

const list = document.querySelector('.rail-list')
if (list instanceof HTMLElement) keepUpToDate(list)

/** @param {HTMLElement} list */
function keepUpToDate(list) {
  let isLoading = false
  const refresh = async () => {
    if (isLoading || document.hidden) return
    isLoading = true
    try {
      const response = await fetch(list.dataset['href'] ?? '')
      const isSignedOut = response.redirected
      if (response.ok && !isSignedOut) replace(list, await response.text())
    } catch {
      // The next look shows what this one could not.
    } finally {
      isLoading = false
    }
  }
  setInterval(() => {
    if (list.querySelector('a:not([aria-current]) + .dot')) void refresh()
  }, everyMs)
  document.addEventListener('visibilitychange', () => void refresh())
}

/**
 * The link that has the focus has it again afterwards.
 * @param {HTMLElement} list
 * @param {string} markup
 */
function replace(list, markup) {
  const focused = list.contains(document.activeElement) ? document.activeElement?.getAttribute('href') : null
  const next = partOf(markup)
  if (next.textContent === list.textContent) return
  list.replaceChildren(next)
  if (focused === null || focused === undefined) return
  const link = list.querySelector(`a[href="${CSS.escape(focused)}"]`)
  if (link instanceof HTMLElement) link.focus({ preventScroll: true })
}
