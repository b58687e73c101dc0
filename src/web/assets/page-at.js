import { showLocalTimes } from './frame.js'

/** Pages of this service, loaded by a script that takes a part of them. */

/**
 * @param {string} address
 * @returns the page; undefined when the service refuses it.
 * @throws TypeError without a connection.
 */
export async function pageAt(address) {
  const response = await fetch(address)
  return response.ok ? parsedPage(await response.text()) : undefined
}

/** The elements of a part of a page. @param {string} markup */
export function partOf(markup) {
  const template = document.createElement('template')
  template.innerHTML = markup
  showLocalTimes(template.content)
  return template.content
}

/** The fields of a form, as it sends them. @param {HTMLFormElement} form */
export function fieldsOf(form) {
  const texts = [...new FormData(form)].map(([name, value]) => [name, String(value)])
  return new URLSearchParams(texts)
}

/**
 * A page without its styles: this page has them, and its security policy refuses those of another one.
 * @param {string} markup
 */
export function parsedPage(markup) {
  const page = new DOMParser().parseFromString(markup.replace(/<style[\s\S]*?<\/style>/g, ''), 'text/html')
  showLocalTimes(page)
  return page
}
