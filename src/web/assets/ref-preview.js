/**
 * Shows a preview for every link to a passage or a work, also for links that come to the page later: while the
 * pointer rests on the link or on the preview, while either has the focus, and after the first tap on a touch screen.
 * Escape closes it. Without scripts the links simply open the reader.
 */

/** Milliseconds that the pointer rests on a link before its preview appears, and may be away before it closes. */
const delayMs = 250
/** Paths of links, and of their previews. */
const previewPaths = Object.entries({
  '/library/read/': '/library/preview/',
  '/library/work/': '/library/work-preview/',
})

const box = document.createElement('div')
box.className = 'ref-preview'
box.popover = 'manual'
box.setAttribute('role', 'group')

/** @type {Map<string, Promise<string>>} */
const loaded = new Map()
/** @type {HTMLAnchorElement | null} */
let shownFor = null
/** @type {HTMLAnchorElement | null} */
let wanted = null
let timer = 0

/** @param {EventTarget | null} target */
function linkOf(target) {
  const link = target instanceof Element ? target.closest('a') : null
  const isRef = link?.origin === location.origin && previewPath(link) !== ''
  return link && isRef && !link.closest('.ref-preview, [data-no-preview]') ? link : null
}

/** @param {HTMLAnchorElement} link @returns {string} empty for a link without a preview. */
function previewPath({ pathname }) {
  const [from, to] = previewPaths.find(([path]) => pathname.startsWith(path)) ?? []
  return from && to ? pathname.replace(from, to) : ''
}

/** @param {string} path */
function load(path) {
  const known = loaded.get(path)
  if (known) return known
  const markup = fetch(path).then((response) => {
    if (!response.ok) throw new Error(String(response.status))
    return response.text()
  })
  loaded.set(path, markup)
  markup.catch(() => loaded.delete(path))
  return markup
}

/** @param {HTMLAnchorElement} link */
async function show(link) {
  wanted = link
  try {
    const markup = await load(previewPath(link))
    if (wanted !== link || !link.isConnected) return
    box.innerHTML = markup
    const head = box.querySelector('[data-label]')
    if (head instanceof HTMLElement) box.setAttribute('aria-label', head.dataset['label'] ?? '')
    // Next to the link, so that Tab leads from the link into the preview.
    link.after(box)
    box.showPopover()
    place(link)
    shownFor = link
  } catch {
    // Nothing to show: the link still opens the reader.
  }
}

function hide() {
  wanted = null
  shownFor = null
  clearTimeout(timer)
  if (box.isConnected) box.remove()
}

/** Whether the keyboard is on a link with a preview, or the focus in the preview: the pointer then closes nothing. */
function hasKeyboard() {
  const { activeElement: active } = document
  return box.contains(active) || (active?.matches(':focus-visible') === true && linkOf(active) !== null)
}

/** Below the link where there is room, otherwise above it; within the window. @param {HTMLElement} link */
function place(link) {
  const at = link.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = box
  const left = Math.max(8, Math.min(at.left, document.documentElement.clientWidth - width - 8))
  const isBelow = at.bottom + height + 8 <= innerHeight || at.top < height + 8
  box.style.left = `${left}px`
  box.style.top = `${isBelow ? at.bottom + 4 : at.top - height - 4}px`
}

/** @param {() => void} work */
function later(work) {
  clearTimeout(timer)
  timer = setTimeout(work, delayMs)
}

document.addEventListener('pointerover', (event) => {
  if (event.pointerType === 'touch') return
  const link = linkOf(event.target)
  if (link && link !== shownFor) later(() => void show(link))
  else if (link || box.contains(/** @type {Node} */ (event.target))) clearTimeout(timer)
  else if (hasKeyboard()) return
  else if (shownFor || wanted) later(hide)
  else clearTimeout(timer)
})
document.addEventListener('focusin', (event) => {
  const link = linkOf(event.target)
  if (link?.matches(':focus-visible')) later(() => void show(link))
  else if (shownFor && !box.contains(/** @type {Node} */ (event.target)) && event.target !== shownFor) hide()
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || !shownFor) return
  const link = shownFor
  const hadFocus = box.contains(document.activeElement)
  hide()
  if (hadFocus) link.focus()
})
// A first tap shows the preview, which has the link to the reader; a second tap opens the reader.
document.addEventListener('click', (event) => {
  const link = linkOf(event.target)
  const isTouch = event instanceof PointerEvent && event.pointerType === 'touch'
  if (link && isTouch && link !== shownFor) {
    event.preventDefault()
    void show(link)
  } else if (!link && shownFor && !box.contains(/** @type {Node} */ (event.target))) hide()
})
addEventListener('scroll', onScroll, { passive: true })

function onScroll() {
  if (!shownFor) return
  if (shownFor === document.activeElement && isInWindow(shownFor)) place(shownFor)
  else if (!box.matches(':hover, :focus-within')) hide()
}

/** @param {Element} element */
function isInWindow(element) {
  const { top, bottom } = element.getBoundingClientRect()
  return bottom > 0 && top < innerHeight
}
