// Copy buttons. Without scripts they stay hidden, and the text can be selected.
import { toast } from './frame.js'

for (const button of document.querySelectorAll('button[data-copy]')) {
  if (button instanceof HTMLButtonElement) offerCopy(button)
}

/** @param {HTMLButtonElement} button names the element with the text in `data-copy`. */
function offerCopy(button) {
  const source = document.getElementById(button.dataset['copy'] ?? '')
  if (!source) return
  button.hidden = false
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '')
      toast(button.dataset['copied'] ?? '✓')
    } catch {
      // Without TLS the browser refuses access to the clipboard: select the text instead.
      getSelection()?.selectAllChildren(source)
      toast(button.dataset['selected'] ?? '✓')
    }
  })
}
