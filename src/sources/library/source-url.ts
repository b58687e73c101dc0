import { urlRef } from './address.ts'

/** Placeholder for the ref of a passage in the URL of a version. */
const refPlace = '{ref}'

const sefaria = 'https://www.sefaria.org/'

type Origin = {
  readonly work: string
  readonly ref: string
  /** URL of this text, or empty. */
  readonly url: string
  /** URL of its version: a page, a template with `{ref}`, or empty. */
  readonly version_url: string
}

/**
 * URL of a passage at its source; empty when its import gave none. A text from Sefaria has the URL of its ref there.
 */
export function sourceUrlOf({ work, ref, url, version_url }: Origin): string {
  const address = url === '' ? version_url : url
  if (address.includes(refPlace)) return address.replaceAll(refPlace, urlRef(ref))
  return address === sefaria + urlRef(work) ? sefaria + urlRef(ref) : address
}

/** URL of a version as a page that can be opened. In a template it inserts the title of the work. */
export function versionUrlOf(work: string, url: string): string {
  return url.replaceAll(refPlace, urlRef(work))
}

/** Whether an address is a URL that browsers can open. It may be a template. */
export function isWebAddress(address: string): boolean {
  return /^https?:\/\/\S+$/i.test(address)
}

/** URL of the reader page of a passage in this service. */
export function readerUrl(origin: string, ref: string): string {
  return `${origin}/library/read/${encodeURIComponent(ref)}`
}

/** The address of a passage: at its publisher if known, otherwise in this service's reader. */
export function passageUrl(
  origin: string,
  { url, ref }: { readonly url: string; readonly ref: string },
): string {
  return url || readerUrl(origin, ref)
}
