// Copy buttons. Without scripts they stay hidden, and readers select the text.
for (const button of document.querySelectorAll('[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    const text = document.getElementById(button.dataset.copy).textContent
    const label = button.textContent
    try {
      await navigator.clipboard.writeText(text)
      button.textContent = 'Copied'
    } catch {
      // Without TLS browsers refuse access to the clipboard, so the text is selected instead.
      getSelection().selectAllChildren(document.getElementById(button.dataset.copy))
      button.textContent = 'Selected'
    }
    setTimeout(() => {
      button.textContent = label
    }, 2_000)
  })
}
