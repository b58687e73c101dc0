// The browser's own words of a file field are in the browser's language: the page shows its own, and the chosen name.
for (const box of document.querySelectorAll('.file-box')) {
  const input = box.querySelector('input')
  const name = box.querySelector('.file-name')
  const none = name?.textContent ?? ''
  const show = () => {
    if (name) name.textContent = input?.files?.[0]?.name ?? none
  }
  // A file may have been chosen before this script came.
  show()
  input?.addEventListener('change', show)
}
