import { urlRef } from './address.ts'

/** What stands for the ref of a passage in the address of a version. */
const refPlace = '{ref}'

const sefaria = 'https://www.sefaria.org/'

type Origin = {
  readonly work: string
  readonly ref: string
  /** Of this very text, or empty. */
  readonly url: string
  /** Of its version: a page, a template with `{ref}`, or empty. */
  readonly version_url: string
}

/** Where a passage comes from; empty when its import does not say. A text from Sefaria is shown there at its own ref. */
export function sourceUrlOf({ work, ref, url, version_url }: Origin): string {
  const address = url === '' ? version_url : url
  if (address.includes(refPlace)) return address.replaceAll(refPlace, urlRef(ref))
  return address === sefaria + urlRef(work) ? sefaria + urlRef(ref) : address
}

/** A version's address as a page that can be opened: that of the work, where it is a template. */
export function versionUrlOf(work: string, url: string): string {
  return url.replaceAll(refPlace, urlRef(work))
}

/** Whether an address can be followed by a browser; it may be a template. */
export function isWebAddress(address: string): boolean {
  return /^https?:\/\/\S+$/i.test(address)
}

/** The page of this service on which a passage is read. */
export function readerUrl(origin: string, ref: string): string {
  return `${origin}/library/read/${encodeURIComponent(ref)}`
}
