import type { Names } from '../../../components/names.ts'

/** A ref in two parts: what the heading of the page already says, and the rest, which a reader needs at the passage. */
export type ShortRef = { readonly known: string; readonly shown: string }

/** Splits both names of a passage: `Tanya 32:5` on the page of `Tanya 32` shows `5`, and `33:1` in another chapter. */
export function shortRefs(
  { en, he }: Names,
  section: string,
): { readonly en: ShortRef; readonly he: ShortRef } {
  const shown = [section, workAndPart(section)].flatMap((known) => restOf(en, known))[0] ?? en
  return { en: split(en, shown), he: split(he, shown === en ? he : hebrewEnd(he, shown)) }
}

function restOf(ref: string, known: string): string[] {
  if (known === '' || !ref.startsWith(known)) return []
  const rest = ref.slice(known.length)
  // `Tanya 1` is no beginning of `Tanya 12`.
  return /^[\s:]+§?[\d:a-d]+(?: §\d+)?$/.test(rest) ? [rest.replace(/^[\s:]+/, '')] : []
}

/** The name of a chapter without its number; empty if it has none. */
function workAndPart(section: string): string {
  return section.replace(/\s[\d:]+[a-d]?$/, '')
}

/** The end of a Hebrew ref in the form of `shown`, such as `ל״ג:א׳` for `33:1`; the whole ref if it has none. */
function hebrewEnd(he: string, shown: string): string {
  const form = shown.replaceAll(/[\da-d]+/g, `[\\d\u05d0-\u05ea\u05f3\u05f4'"]{1,8}`)
  return he.match(new RegExp(`(?<=[\\s:])${form}$`))?.[0] ?? he
}

function split(ref: string, shown: string): ShortRef {
  return { known: ref.slice(0, ref.length - shown.length), shown }
}
