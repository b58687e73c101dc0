/**
 * On every page: short messages (toasts), keyboard shortcuts, and the switch of colours. Without this script the
 * switches load the page again.
 */

const toastMs = 4_000
/** Time for a screen reader to know the page before something is announced. */
const announceAfterMs = 500

/**
 * Shows a short message, which screen readers announce.
 * @param {string} text
 * @param {string} [href] where it leads.
 */
export function toast(text, href) {
  const place = document.getElementById('toasts')
  if (!place) return
  // What stands beside an open dialog is neither seen nor announced.
  const around = [...document.querySelectorAll('dialog:modal')].at(-1) ?? document.body
  if (place.parentNode !== around) around.append(place)
  const message = document.createElement('p')
  const link = Object.assign(document.createElement('a'), { textContent: text, dir: 'auto', href })
  message.append(...(href === undefined ? [text] : ['✓ ', link]))
  place.replaceChildren(message)
  setTimeout(() => message.remove(), href === undefined ? toastMs : 2 * toastMs)
}

// Browsers before 2026 know no commands of buttons.
if (!('command' in HTMLButtonElement.prototype))
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('button[commandfor]') : null
    const dialog = document.getElementById(button?.getAttribute('commandfor') ?? '')
    if (!(dialog instanceof HTMLDialogElement)) return
    if (button?.getAttribute('command') === 'close') dialog.close()
    else dialog.showModal()
  })

// The dialog of a form that came back, which without scripts is open in its place.
const again = document.querySelector('dialog[open]')
if (again instanceof HTMLDialogElement) {
  again.close()
  if (again.previousElementSibling instanceof HTMLElement) again.previousElementSibling.focus()
  again.showModal()
}

/** What a form came to. Screen readers announce only what comes to a page after it was read. */
const outcome = document.querySelector('main .notice.done, main .notice.problem')
if (outcome) setTimeout(() => outcome.replaceChildren(...outcome.cloneNode(true).childNodes), announceAfterMs)

/** @param {string} id */
function openDialog(id) {
  const dialog = document.getElementById(id)
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal()
}

addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (event.key === '?') openDialog('shortcuts')
  if (event.key === '/') goToSearch(event)
})

/**
 * An element that the page always has.
 * @param {ParentNode} parent
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function part(parent, selector) {
  const found = parent.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`)
  return found
}

/**
 * Does something else when a link is followed in its window; a new tab is the browser's own.
 * @param {string} selector of the links.
 * @param {(link: HTMLAnchorElement) => boolean | void} follow false: the link is followed after all.
 * @param {EventTarget} [around]
 */
export function onFollow(selector, follow, around = document) {
  around.addEventListener('click', (event) => {
    if (!(event instanceof MouseEvent) || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey)
      return
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (link?.matches(selector) && follow(link) !== false) event.preventDefault()
  })
}

/** @param {EventTarget | null} target */
function isTyping(target) {
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/**
 * Goes to the field for a question or a search; on a page without one, to the library.
 * @param {KeyboardEvent} event
 */
function goToSearch(event) {
  if (document.querySelector('dialog[open]')) return
  event.preventDefault()
  const field =
    document.querySelector('textarea#question') ?? document.querySelector('main input[type="search"]')
  if (field instanceof HTMLElement) field.focus()
  else location.assign('/library')
}

const zone = `zone=${encodeURIComponent(Intl.DateTimeFormat().resolvedOptions().timeZone)}`
// The days of the list of conversations are those of the reader.
if (!document.cookie.split('; ').includes(zone))
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API needs TLS
  document.cookie = `${zone};path=/;max-age=31536000;samesite=lax`

/** @type {Readonly<Record<string, Intl.DateTimeFormatOptions>>} */
const timeFormats = { day: { dateStyle: 'medium' }, minute: { dateStyle: 'medium', timeStyle: 'short' } }

/**
 * Shows the times of a page in the zone of its reader; the tooltip has the time in UTC.
 * @param {ParentNode} root
 */
export function showLocalTimes(root) {
  const tag = document.documentElement.lang
  for (const time of root.querySelectorAll('time[data-time]')) {
    if (!(time instanceof HTMLTimeElement)) continue
    const at = new Date(time.dateTime)
    const format = timeFormats[time.dataset['time'] ?? '']
    if (format === undefined || Number.isNaN(at.getTime())) continue
    const minute = new Intl.DateTimeFormat(tag, { ...timeFormats['minute'], timeZone: 'UTC' })
    time.title = `${minute.format(at)} UTC`
    time.textContent = new Intl.DateTimeFormat(tag, format).format(at)
    delete time.dataset['time']
  }
}
showLocalTimes(document)

// In a narrow window the navigation and the tabs scroll: the current entry is in view.
for (const around of document.querySelectorAll('.bar > nav, .tabs')) {
  const current = around.querySelector('[aria-current]')
  if (!current) continue
  const [outer, inner] = [around.getBoundingClientRect(), current.getBoundingClientRect()]
  around.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
}

const rolesOfTables = Object.entries({
  table: 'table',
  'thead, tbody': 'rowgroup',
  tr: 'row',
  td: 'cell',
  'thead th': 'columnheader',
  'tbody th': 'rowheader',
})
// Safari takes the meaning of a table away where its rows look like cards. HTML does not allow to repeat it.
for (const [parts, role] of rolesOfTables)
  for (const part of document.querySelectorAll(parts))
    if (part.closest('.cards')) part.setAttribute('role', role)

const colours = document.querySelector('form.colours')
if (colours instanceof HTMLFormElement) colours.addEventListener('submit', switchColours)

/**
 * Changes the colours at once; the request keeps the choice.
 * @param {SubmitEvent} event
 */
function switchColours(event) {
  const { submitter, currentTarget } = event
  if (!(submitter instanceof HTMLButtonElement) || !(currentTarget instanceof HTMLFormElement)) return
  event.preventDefault()
  const theme = submitter.value
  const isSystem = theme === 'system'
  if (isSystem) delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
  document
    .querySelector('meta[name="color-scheme"]')
    ?.setAttribute('content', isSystem ? 'light dark' : theme)
  for (const button of currentTarget.querySelectorAll('button'))
    button.setAttribute('aria-pressed', String(button === submitter))
  void fetch(currentTarget.action, { method: 'POST', body: new URLSearchParams({ theme }) })
}

const language = document.querySelector('form.language')
// Servers are not told the part of an address that names a place on the page.
language?.addEventListener('submit', () => {
  const next = language.querySelector('[name="next"]')
  if (next instanceof HTMLInputElement && !next.value.includes('#')) next.value += location.hash
})
