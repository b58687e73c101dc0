/**
 * Copy buttons, also those that come to the page later. A short message says that it was copied: `data-copied`, or
 * `data-selected` where the browser refuses access to the clipboard, of the button or of an element around it.
 * - `data-copy`: the id of the element whose text is copied. Without scripts these buttons stay hidden.
 * - `data-copy-text`: the text itself.
 * - `data-copy-link`: a path of this service, copied as a full URL.
 * - `data-copy-passage`: the shown passages of the card around the button, with their ref.
 */
import { toast } from './frame.js'

for (const button of document.querySelectorAll('button[data-copy]'))
  if (button instanceof HTMLButtonElement) button.hidden = false

document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null
  const text = button && textOf(button)
  if (button && text !== undefined && text !== null) void copy(button, text)
})

/**
 * @param {HTMLButtonElement} button
 * @returns {string | undefined} undefined for other buttons.
 */
function textOf(button) {
  const { copy: id, copyText, copyLink, copyPassage } = button.dataset
  if (id !== undefined) return document.getElementById(id)?.textContent ?? undefined
  if (copyLink !== undefined) return new URL(copyLink, location.href).href
  // A link to the library is copied with the address of this service: elsewhere it would lead nowhere.
  if (copyPassage === undefined) return copyText?.replaceAll('](/library/', `](${location.origin}/library/`)
  const card = button.closest('[data-ref]')
  if (!(card instanceof HTMLElement)) return undefined
  const quotes = [...card.querySelectorAll('.passage blockquote')]
  const shown = quotes.filter((quote) => quote.checkVisibility())
  const texts = (shown.length > 0 ? shown : quotes).map((quote) => quote.textContent ?? '')
  return [...texts, card.dataset['ref'] ?? ''].join('\n\n')
}

/** @param {HTMLButtonElement} button @param {string} text */
async function copy(button, text) {
  const around = button.closest('[data-copied]')
  const { copied = '✓', selected = '✓' } = around instanceof HTMLElement ? around.dataset : {}
  toast((await written(text, button)) ? copied : selected)
}

/** @param {string} text @param {HTMLButtonElement} button */
async function written(text, button) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without TLS the browser has no clipboard for scripts, but most still copy a selection.
    if (copySelected(text, button)) return true
    const { copy: id = '' } = button.dataset
    const around = button.closest('[data-ref]') ?? button.closest('article')?.querySelector('.answer')
    const source = document.getElementById(id) ?? around
    if (source) getSelection()?.selectAllChildren(source)
    return false
  }
}

/**
 * Copies with the command of the browser's menu. The field stands beside the button: a dialog may be open.
 * @param {string} text
 * @param {HTMLButtonElement} button
 */
function copySelected(text, button) {
  const field = Object.assign(document.createElement('textarea'), { value: text, className: 'sr' })
  button.after(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  button.focus()
  return isDone
}
