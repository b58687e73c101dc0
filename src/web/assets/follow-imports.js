/** Keeps the collections of the library page up to date while an import is unfinished. */

import { partOf } from './page-at.js'

const pauseMs = 1_000

/** @returns {HTMLElement | null} */
const section = () => document.querySelector('#collections[data-live]')

async function refresh() {
  const shown = section()
  if (shown === null) return
  try {
    const response = await fetch('/operator/library/collections', { headers: { accept: 'text/html' } })
    if (!response.ok) throw new Error(String(response.status))
    const next = partOf(await response.text()).querySelector('#collections')
    if (next instanceof HTMLElement) update(shown, next)
  } catch {
    // The service restarts or the network pauses: the next attempt shows the newest state.
  }
  setTimeout(refresh, pauseMs)
}

/**
 * Changes only what differs, so that the focus and an open list stay.
 * @param {HTMLElement} shown
 * @param {HTMLElement} next
 */
function update(shown, next) {
  for (const entry of next.querySelectorAll('[data-job]')) {
    if (!(entry instanceof HTMLElement)) continue
    const old = shown.querySelector(`[data-job="${entry.dataset['job']}"]`)
    if (!(old instanceof HTMLElement)) continue
    if (old.dataset['status'] === entry.dataset['status']) updateProgress(old, entry)
    else old.replaceWith(entry.cloneNode(true))
  }
  shown.toggleAttribute('data-live', next.hasAttribute('data-live'))
}

/**
 * @param {HTMLElement} old
 * @param {HTMLElement} entry
 */
function updateProgress(old, entry) {
  const [bar, newBar] = [old.querySelector('progress'), entry.querySelector('progress')]
  const [doing, newDoing] = [old.querySelector('.doing'), entry.querySelector('.doing')]
  if (bar && newBar) bar.value = newBar.value
  if (doing && newDoing) doing.textContent = newDoing.textContent
}

void refresh()
