/** Moving entries of a source sheet with a pointer; `sheet-editor.js` uses it. */

/**
 * Lets a pointer move the entry of a handle. While it moves, the entries are folded to one line each.
 * @param {HTMLElement} list
 * @param {HTMLElement} handle
 * @param {(entry: HTMLElement) => void} moved
 */
export function offerDrag(list, handle, moved) {
  handle.hidden = false
  handle.addEventListener('pointerdown', (start) => {
    const entry = handle.closest('[data-entry]')
    if (!(entry instanceof HTMLElement) || start.button !== 0) return
    start.preventDefault()
    const before = [...list.children].indexOf(entry)
    fold(true)
    const move = (/** @type {PointerEvent} */ event) => {
      placeAt(list, entry, event.clientY)
      scrollAtEdge(event.clientY)
    }
    const end = () => {
      document.removeEventListener('pointermove', move)
      document.removeEventListener('pointerup', end)
      document.removeEventListener('pointercancel', end)
      fold(false)
      if ([...list.children].indexOf(entry) !== before) moved(entry)
    }
    document.addEventListener('pointermove', move)
    document.addEventListener('pointerup', end)
    document.addEventListener('pointercancel', end)

    /** @param {boolean} isOn */
    function fold(isOn) {
      const { top } = handle.getBoundingClientRect()
      list.classList.toggle('dragging', isOn)
      entry?.classList.toggle('dragged', isOn)
      // The handle stays under the pointer.
      scrollBy(0, handle.getBoundingClientRect().top - top)
    }
  })
}

/**
 * Puts an entry before the first one whose middle is below the pointer.
 * @param {HTMLElement} list
 * @param {HTMLElement} entry
 * @param {number} y
 */
function placeAt(list, entry, y) {
  const others = [...list.children].filter((other) => other !== entry)
  const next = others.find((other) => {
    const { top, height } = other.getBoundingClientRect()
    return y < top + height / 2
  })
  if (next && entry.nextElementSibling !== next) next.before(entry)
  if (!next && list.lastElementChild !== entry) list.append(entry)
}

/** @param {number} y */
function scrollAtEdge(y) {
  const edge = 70
  if (y < edge) scrollBy(0, -14)
  if (y > innerHeight - edge) scrollBy(0, 14)
}
