// A menu closes with Escape, and when something beside it is chosen. Without scripts its button closes it.
document.addEventListener('click', (event) => {
  for (const menu of document.querySelectorAll('details.menu[open]'))
    if (event.target instanceof Node && !menu.contains(event.target)) menu.removeAttribute('open')
})
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || document.querySelector('dialog[open]')) return
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    menu.removeAttribute('open')
    menu.querySelector('summary')?.focus()
  }
})
