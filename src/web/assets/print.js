// Buttons that print the page. Without scripts they stay hidden, and the browser's own command prints.
for (const button of document.querySelectorAll('button[data-print]')) {
  if (!(button instanceof HTMLButtonElement)) continue
  button.hidden = false
  button.addEventListener('click', () => print())
}
