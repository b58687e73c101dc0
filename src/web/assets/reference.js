/**
 * The API reference: sends the requests of the forms with the reader's key, which stays in the field, and shows their
 * replies as they arrive. Without this script the page is a description to read.
 */
import { pageAt } from './page-at.js'
import { createEventReader } from './reference-events.js'
import { filterOperations } from './reference-filter.js'
import { requestOf, typedKey } from './reference-request.js'

const maxShown = 200_000
const api = document.getElementById('api')
const words = api?.dataset ?? {}

for (const id of ['key-form', 'filter-form'])
  document.getElementById(id)?.addEventListener('submit', (event) => event.preventDefault())

filterOperations()

/** Enables the forms of an element. @param {ParentNode} around */
function enableForms(around) {
  for (const form of around.querySelectorAll('form.try')) {
    if (!(form instanceof HTMLFormElement)) continue
    form.querySelector('[data-send]')?.removeAttribute('disabled')
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      void send(form)
    })
    const choice = form.querySelector('[data-stream]')
    choice?.addEventListener('change', () =>
      setStream(form, choice instanceof HTMLInputElement && choice.checked),
    )
    for (const button of form.parentElement?.querySelectorAll('button[data-copy]') ?? [])
      if (button instanceof HTMLButtonElement) button.hidden = false
  }
}

enableForms(document)

/** What an operation or object says comes from its own page when it is first opened. */
addEventListener(
  'toggle',
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open) void fill(target)
  },
  { capture: true },
)

/** @param {HTMLDetailsElement} details */
async function fill(details) {
  const place = details.querySelector(':scope > [data-page]')
  if (!(place instanceof HTMLElement)) return
  const address = place.dataset['page'] ?? ''
  delete place.dataset['page']
  try {
    const page = await pageAt(address)
    const body = page?.getElementById(place.id)
    if (!body) throw new Error(`${address} has nothing about ${place.id}`)
    place.replaceChildren(...body.childNodes)
    enableForms(place)
  } catch {
    // The link to the page stays; opening again tries again.
    place.dataset['page'] = address
  }
}

/** @param {HTMLFormElement} form @param {boolean} stream */
function setStream(form, stream) {
  const body = form.querySelector('[data-body]')
  if (!(body instanceof HTMLTextAreaElement)) return
  try {
    const { stream: _, ...others } = JSON.parse(body.value)
    body.value = JSON.stringify(stream ? { ...others, stream } : others, null, 2)
  } catch {
    // The reader is still writing; the service says what is wrong with the body.
  }
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const { stop, state, ...reply } = placesOf(form)
  const abort = new AbortController()
  const began = performance.now()
  stop.hidden = false
  stop.onclick = () => abort.abort()
  state.textContent = words['sending'] ?? ''
  try {
    const response = await fetch(...requestOf(form, abort.signal))
    const head = `${response.status} ${response.statusText}`
    state.textContent = `${head} · ${words['receiving']}`
    reply.keyless.hidden = response.status !== 401 || typedKey() !== ''
    const isCut = await show(response, reply)
    const took = Math.round(performance.now() - began).toLocaleString('en')
    state.textContent = `${head} · ${took} ms${isCut ? ` · ${words['cut']}` : ''}`
  } catch {
    state.textContent = (abort.signal.aborted ? words['stopped'] : words['failed']) ?? ''
  }
  const hadFocus = document.activeElement === stop
  stop.hidden = true
  if (hadFocus) form.querySelector('button')?.focus()
}

/**
 * The places of a reply below the form, empty.
 * @param {HTMLFormElement} form
 */
function placesOf(form) {
  form.nextElementSibling?.remove()
  const template = document.getElementById('reply')
  if (template instanceof HTMLTemplateElement) form.after(template.content.cloneNode(true))
  const around = form.parentElement
  /** @param {string} name */
  const place = (name) => /** @type {HTMLElement} */ (around?.querySelector(`[data-${name}]`))
  return {
    ...{ stop: place('stop'), state: place('state'), keyless: place('keyless') },
    ...{ text: place('text'), raw: place('raw'), file: place('file') },
  }
}

/**
 * @param {Response} response
 * @param {{ text: HTMLElement, raw: HTMLElement, file: HTMLElement }} places
 * @returns {Promise<boolean>} whether the reply was too long to be shown.
 */
async function show(response, { text, raw, file }) {
  const type = response.headers.get('content-type') ?? ''
  if (!/^text\/|json/.test(type)) return await offer(response, file)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const events = type.startsWith('text/event-stream') ? createEventReader() : undefined
  let whole = ''
  raw.hidden = false
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) break
    if (whole.length < maxShown) raw.append(value)
    whole += value
    if (!events) continue
    text.textContent = events.read(value)
    text.hidden = text.textContent === ''
  }
  raw.textContent = (type.includes('json') ? indented(whole) : whole).slice(0, maxShown)
  return whole.length > maxShown
}

/** @param {Response} response @param {HTMLElement} file */
async function offer(response, file) {
  const link = file.querySelector('a')
  const content = await response.blob()
  if (!link || content.size === 0) return false
  URL.revokeObjectURL(link.href)
  link.href = URL.createObjectURL(content)
  const named = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')
  link.download = named?.[1] ?? 'reply'
  file.hidden = false
  return false
}

/** @param {string} text */
function indented(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

document.addEventListener('click', ({ target }) => {
  if (target instanceof Element && target.closest('a[href="#key"]')) document.getElementById('key')?.focus()
})

/** Opens what the address names: older browsers do not, and none does after a reload. */
function openNamed() {
  const around = document.getElementById(location.hash.slice(1))?.closest('details')
  if (around) around.open = true
}

addEventListener('hashchange', openNamed)
// Addresses of the version before, such as `#/Chat/postChatCompletions`.
if (location.hash.startsWith('#/')) location.replace(`#${location.hash.split('/').at(-1)}`)
openNamed()
