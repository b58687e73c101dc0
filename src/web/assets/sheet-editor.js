/** The editor of a source sheet: saves what is written, and moves and removes entries without a reload. */

import { part } from './frame.js'
import { fieldsOf, pageAt } from './page-at.js'
import { offerDrag } from './sheet-drag.js'

/**
 * @typedef {{ readonly saved: boolean, readonly entries?: readonly string[], readonly message?: string,
 *   readonly field?: string | null }} Reply
 */

/** Milliseconds between the last letter and the request that saves it. */
const pauseMs = 700
/** Milliseconds in which a removed entry can be put back. */
const undoMs = 8_000

const request = { method: 'POST', headers: { accept: 'application/json' } }

const form = document.querySelector('form[data-sheet]')
if (form instanceof HTMLFormElement) edit(form)

/** @param {HTMLFormElement} form */
function edit(form) {
  const words = JSON.parse(form.dataset['words'] ?? '{}')
  const saving = saver(form, part(document, '.sheet-state'), words)
  const { step, moved, remove } = changes(form, saving, words)
  part(form, '.sheet-save').hidden = true

  form.addEventListener('input', () => saving.soon())
  form.addEventListener('change', (event) => {
    if (!(event.target instanceof HTMLSelectElement)) return
    const entry = entryOf(event.target)
    void saving.now().then(() => (entry ? refreshTexts(form, entry) : undefined))
  })
  form.addEventListener('submit', () => saving.cancel())
  addEventListener('pagehide', () => saving.leave())
  form.addEventListener('click', (event) => {
    const button = event.target instanceof Element ? event.target.closest('button[name="action"]') : null
    if (!(button instanceof HTMLButtonElement)) return
    const [action, id] = button.value.split(':')
    const entry = entryOf(button)
    if (!entry || id === undefined || action === 'note') return
    event.preventDefault()
    if (action === 'remove') return remove(entry)
    step(entry, action === 'up' ? -1 : 1)
    button.focus()
  })
  form.addEventListener('keydown', (event) => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return
    const entry = event.target instanceof Element ? entryOf(event.target) : null
    if (!entry || !(event.target instanceof HTMLElement)) return
    event.preventDefault()
    step(entry, event.key === 'ArrowUp' ? -1 : 1)
    event.target.focus()
  })
  const list = part(form, '.sheet-entries')
  for (const handle of list.querySelectorAll('[data-drag]'))
    if (handle instanceof HTMLElement) offerDrag(list, handle, moved)
  // The browser takes the focus away once more, when it brings the place that the address names into view.
  addEventListener('load', () => requestAnimationFrame(focusNewNote), { once: true })
}

/** A new note is written at once. */
function focusNewNote() {
  const target = location.hash.startsWith('#entry-') ? document.querySelector(location.hash) : null
  target?.querySelector('textarea')?.focus()
}

/**
 * What a button, a key or a pointer does with an entry.
 * @param {HTMLFormElement} form
 * @param {ReturnType<typeof saver>} saving
 * @param {Readonly<Record<string, string>>} words
 */
function changes(form, saving, words) {
  const list = part(form, '.sheet-entries')
  const state = part(document, '.sheet-state')

  /**
   * @param {HTMLElement} entry
   * @param {1 | -1} by
   */
  function step(entry, by) {
    const beside = by === -1 ? entry.previousElementSibling : entry.nextElementSibling
    if (!beside) return
    if (by === -1) beside.before(entry)
    else beside.after(entry)
    entry.scrollIntoView({ block: 'nearest' })
    moved(entry)
  }

  /** @param {HTMLElement} entry */
  function moved(entry) {
    const all = [...list.children]
    const place = String(all.indexOf(entry) + 1)
    const said = (words['moved'] ?? '').replace('{place}', place).replace('{all}', String(all.length))
    void saving.now(said)
  }

  /**
   * Takes an entry out; a button puts it back until the next change.
   * @param {HTMLElement} entry
   */
  function remove(entry) {
    const next = entry.nextElementSibling
    const place = next ?? entry.previousElementSibling
    const mark = document.createElement('input')
    Object.assign(mark, { type: 'hidden', name: 'removed', value: entry.dataset['entry'] ?? '' })
    const undo = document.createElement('button')
    Object.assign(undo, { type: 'button', className: 'quiet', textContent: words['undo'] ?? '' })
    entry.remove()
    form.append(mark)
    undo.addEventListener('click', () => {
      mark.remove()
      if (next?.isConnected) next.before(entry)
      else list.append(entry)
      saving.cancel()
      state.replaceChildren()
      entry.querySelector('button')?.focus()
    })
    state.replaceChildren(words['removed'] ?? '', ' ', undo)
    saving.later()
    const focus = place?.querySelector('button[name="action"]')
    if (focus instanceof HTMLElement) focus.focus()
    else part(form, 'input[name="ref"]').focus()
  }

  return { step, moved, remove }
}

/**
 * Sends the form, one request at a time, and says in `state` how it went.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} state
 * @param {Readonly<Record<string, string>>} words
 */
function saver(form, state, words) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  /** @type {Promise<void>} */
  let last = Promise.resolve()
  let isDirty = false
  const body = () => withoutRef(fieldsOf(form))

  /** @param {string} [said] */
  async function send(said) {
    isDirty = false
    try {
      const response = await fetch(addressOf(form), { ...request, body: body() })
      /** @type {Reply} */
      const reply = await response.json()
      if (!reply.saved) isDirty = true
      show(reply, said)
    } catch {
      isDirty = true
      state.textContent = words['failed'] ?? ''
    }
  }

  /**
   * @param {Reply} reply
   * @param {string | undefined} said
   */
  function show({ saved, entries = [], message = '', field }, said) {
    for (const wrong of form.querySelectorAll('[aria-invalid]')) wrong.removeAttribute('aria-invalid')
    state.classList.toggle('warn', !saved)
    if (!saved) {
      form.querySelector(`[name="${CSS.escape(field ?? '')}"]`)?.setAttribute('aria-invalid', 'true')
      state.textContent = message
      return
    }
    const isShown = (/** @type {string} */ id) => document.getElementById(`entry-${id}`) !== null
    const done = said ?? words['saved']
    state.textContent = (entries.every(isShown) ? done : words['elsewhere']) ?? ''
  }

  /**
   * @param {string} [said] what to say when it is saved.
   * @returns {Promise<void>}
   */
  function now(said) {
    clearTimeout(timer)
    isDirty = true
    last = last.then(() => send(said))
    return last
  }

  /** @param {number} ms */
  function after(ms) {
    isDirty = true
    clearTimeout(timer)
    timer = setTimeout(() => void now(), ms)
  }

  return {
    now,
    later: () => after(undoMs),
    soon() {
      state.textContent = words['saving'] ?? ''
      after(pauseMs)
    },
    cancel() {
      clearTimeout(timer)
      isDirty = false
    },
    /** The page is left: what is not saved is sent without waiting for the reply. */
    leave() {
      if (isDirty) void fetch(addressOf(form), { ...request, body: body(), keepalive: true })
      this.cancel()
    },
  }
}

/** Without the passage that a button adds. @param {URLSearchParams} fields */
function withoutRef(fields) {
  fields.delete('ref')
  return fields
}

/**
 * Where the form is sent. `form.action` is its buttons of that name.
 * @param {HTMLFormElement} form
 */
function addressOf(form) {
  return form.getAttribute('action') ?? location.pathname
}

/**
 * Shows the texts of an entry as the service has them after a change of language or version.
 * @param {HTMLFormElement} form
 * @param {HTMLElement} entry
 */
async function refreshTexts(form, entry) {
  const page = await pageAt(addressOf(form))
  const fresh = page?.getElementById(entry.id)?.querySelector('.entry-texts')
  if (fresh) entry.querySelector('.entry-texts')?.replaceWith(document.importNode(fresh, true))
}

/** @param {Element} element */
function entryOf(element) {
  const entry = element.closest('[data-entry]')
  return entry instanceof HTMLElement ? entry : null
}
