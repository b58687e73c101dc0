import type { Passage } from '../../sources/library/types.ts'

/** Maximum characters of one text, so that a section of long passages fits the window of a model. */
const maxCharacters = 60_000

/** Passages of one ref as the text of a document, with its version and licence above each passage. */
export function passagesText(passages: readonly Passage[]): {
  readonly text: string
  readonly truncated: boolean
} {
  let text = ''
  for (const passage of passages) {
    const entry = `${text === '' ? '' : '\n\n'}${headingOf(passage)}\n${passage.text}`
    if (text.length + entry.length <= maxCharacters) {
      text += entry
      continue
    }
    const room = maxCharacters - text.length
    return { text: (text + entry.slice(0, room)).toWellFormed(), truncated: true }
  }
  return { text, truncated: false }
}

function headingOf({ ref, heRef, language, version, license }: Passage): string {
  const names = heRef === '' ? ref : `${ref} · ${heRef}`
  return `[${names} · ${[language, version, license].filter((part) => part !== '').join(', ')}]`
}
