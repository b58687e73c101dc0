/** Shows links and notes of a passage beside the text. Without scripts the link leads to their page. */

import { onFollow, toast } from './frame.js'
import { fieldsOf, pageAt, parsedPage } from './page-at.js'

const reader = document.querySelector('.reader')
const panel = document.createElement('aside')
panel.className = 'panel'
panel.tabIndex = -1
/** @type {HTMLElement | null} */
let opener = null

if (reader instanceof HTMLElement) {
  onFollow('a[data-passage]', (link) => void follow(reader, link), reader)
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && panel.isConnected && !document.querySelector('dialog[open]')) close()
  })
  panel.addEventListener('submit', (event) => {
    if (!(event.target instanceof HTMLFormElement)) return
    event.preventDefault()
    void send(event.target)
  })
}

/**
 * @param {HTMLElement} reader
 * @param {HTMLAnchorElement} link
 */
async function follow(reader, link) {
  const page = await pageAt(link.href).catch(() => undefined)
  if (!page || !show(page)) {
    location.href = link.href
    return
  }
  for (const segment of document.querySelectorAll('.segment.open')) segment.classList.remove('open')
  link.closest('.segment')?.classList.add('open')
  opener = link
  const { top } = link.getBoundingClientRect()
  reader.append(panel)
  reader.classList.add('with-panel')
  // The texts are narrower now; the passage stays where it was.
  scrollBy(0, link.getBoundingClientRect().top - top)
  panel.focus({ preventScroll: true })
  panel.scrollTop = 0
}

function close() {
  panel.remove()
  reader?.classList.remove('with-panel')
  for (const segment of document.querySelectorAll('.segment.open')) segment.classList.remove('open')
  opener?.focus()
  opener = null
}

/**
 * The reply to a form leads to the page of the passage, with its new state.
 * @param {HTMLFormElement} form
 */
async function send(form) {
  const body = fieldsOf(form)
  const place = [...panel.querySelectorAll('form')].indexOf(form)
  try {
    const response = await fetch(form.action, { method: 'POST', body })
    if (!show(parsedPage(await response.text()))) return form.submit()
    // The button that was pressed is no longer there; the one in its place has the focus, so that Tab goes on from it.
    panel.querySelectorAll('form')[place]?.querySelector('button')?.focus()
    if (response.ok) toast(form.dataset['done'] ?? '')
    const page = await pageAt(location.href)
    for (const segment of document.querySelectorAll('.segment.open')) refreshSegment(segment, page)
  } catch {
    form.submit()
  }
}

/**
 * @param {Document} page
 * @returns whether the page is that of a passage.
 */
function show(page) {
  const section = page.querySelector('#passage')
  if (!(section instanceof HTMLElement)) return false
  const title = section.querySelector('h1')
  const heading = document.createElement('h2')
  heading.textContent = title?.textContent ?? ''
  heading.dir = 'auto'
  heading.lang = title?.lang ?? ''
  title?.replaceWith(heading)
  const button = document.createElement('button')
  Object.assign(button, { type: 'button', className: 'quiet small panel-close', textContent: '✕' })
  button.setAttribute('aria-label', section.dataset['close'] ?? '')
  button.addEventListener('click', close)
  panel.setAttribute('aria-label', heading.textContent)
  panel.replaceChildren(button, document.importNode(section, true))
  return true
}

/**
 * Shows the bookmark and the note of a passage as the service has them now.
 * @param {Element} segment
 * @param {Document | undefined} page
 */
function refreshSegment(segment, page) {
  const fresh = page?.getElementById(segment.id)
  if (!fresh) return
  for (const selector of ['.ref-name', '.own-note']) {
    const next = fresh.querySelector(selector)
    const now = segment.querySelector(selector)
    if (next && now) now.replaceWith(document.importNode(next, true))
    else if (next) segment.append(document.importNode(next, true))
    else now?.remove()
  }
}
