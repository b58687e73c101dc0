/** The request that a form of the API reference describes. */

/** @typedef {{ readonly place: string, readonly name: string, readonly value: string | File }} Field */

const key = document.getElementById('key')

/** The reader's key, which only the field has. */
export const typedKey = () => (key instanceof HTMLInputElement ? key.value.trim() : '')

/**
 * @param {HTMLFormElement} form @param {AbortSignal} signal
 * @returns {[string, RequestInit]}
 */
export function requestOf(form, signal) {
  const { method = 'GET', path = '', type = '' } = form.dataset
  const fields = [...form.querySelectorAll('[data-in]')].flatMap(fieldOf)
  /** @param {string} place */
  const named = (place) => fields.filter((one) => one.place === place)
  /** @param {string} place @returns {string[][]} */
  const texts = (place) => named(place).map(({ name, value }) => [name, String(value)])
  const address = texts('path').reduce(
    (sum, [name, value = '']) => sum.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  )
  const query = new URLSearchParams(texts('query'))
  const headers = new Headers(/** @type {[string, string][]} */ (texts('header')))
  const body = bodyOf(form, type, named('form'))
  if (typedKey() !== '') headers.set('authorization', `Bearer ${typedKey()}`)
  // The browser itself writes the type of a form with files, because it has a boundary.
  if (typeof body === 'string') headers.set('content-type', type)
  const search = query.size === 0 ? '' : `?${query}`
  // The session of the pages is no part of a request to the API.
  return [address + search, { method, headers, body, signal, credentials: 'omit', cache: 'no-store' }]
}

/** @param {HTMLFormElement} form @param {string} type @param {readonly Field[]} fields */
function bodyOf(form, type, fields) {
  const written = form.querySelector('[data-body]')
  if (written instanceof HTMLTextAreaElement) return written.value
  if (!type.startsWith('multipart/')) return null
  const body = new FormData()
  for (const { name, value } of fields) body.append(name, value)
  return body
}

/**
 * A field that has a value.
 * @param {Element} field
 * @returns {Field[]}
 */
function fieldOf(field) {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement)) return []
  const file = field instanceof HTMLInputElement ? field.files?.[0] : undefined
  const value = file ?? field.value
  const { in: place = '', name = '' } = field.dataset
  return value === '' ? [] : [{ place, name, value }]
}
