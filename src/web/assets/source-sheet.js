/**
 * Where the sources of an answer stand below it, a citation number opens its source in a sheet at the bottom of the
 * window. Escape, the way back, a tap beside the sheet and its button close it. Without scripts the number leads to
 * the source.
 */

import { onFollow } from './frame.js'

const sheet = document.createElement('dialog')
sheet.className = 'sources source-sheet'
sheet.setAttribute('aria-labelledby', 'source-sheet-title')
const title = document.createElement('h2')
title.id = 'source-sheet-title'
const button = document.createElement('button')
Object.assign(button, { type: 'button', className: 'quiet small', textContent: '✕' })
const head = document.createElement('div')
head.className = 'head'
head.append(title, button)
const list = Object.assign(document.createElement('ol'), { className: 'plain-list' })
sheet.append(head, list)

/** Puts the card back into the list of sources. */
let putBack = () => {}

onFollow('[data-ask]', () => {
  sheet.close()
  return false
})
onFollow('.cite', (link) => {
  const card = document.getElementById(link.hash.slice(1))?.closest('.source-card')
  if (!(card instanceof HTMLElement) || isBeside(card)) return false
  open(card, link)
  return true
})
button.addEventListener('click', () => sheet.close())
sheet.addEventListener('click', ({ target }) => {
  if (target === sheet) sheet.close()
})
sheet.addEventListener('close', () => {
  putBack()
  if (history.state?.isSheet) history.back()
})
addEventListener('popstate', () => sheet.close())

/** Whether the sources are in a column beside their answer. @param {Element} card */
function isBeside(card) {
  const body = card.closest('.with-sources')
  return body !== null && getComputedStyle(body).display === 'grid'
}

/** @param {HTMLElement} card @param {HTMLAnchorElement} link */
function open(card, link) {
  title.textContent = link.getAttribute('aria-label')
  const sources = card.closest('.sources')
  if (sources instanceof HTMLElement) button.setAttribute('aria-label', sources.dataset['close'] ?? '')
  // The page keeps its height, and its place in the window.
  const place = document.createElement('li')
  place.style.blockSize = `${card.offsetHeight}px`
  const details = card.querySelector('details')
  const wasOpen = details?.open ?? false
  card.closest('article')?.append(sheet)
  card.replaceWith(place)
  list.append(card)
  if (details) details.open = true
  putBack = () => {
    if (details) details.open = wasOpen
    place.replaceWith(card)
    link.focus({ preventScroll: true })
  }
  history.pushState({ isSheet: true }, '', link.hash)
  sheet.showModal()
}
