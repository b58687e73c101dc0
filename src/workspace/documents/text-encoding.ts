/** Labels of the WHATWG Encoding Standard. */
export type TextEncodingLabel = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1255'

/**
 * The encoding of a text, if it is certain: UTF-8, UTF-16, or the Hebrew of Windows (a superset of ISO 8859-8).
 * @param isHead the content is the beginning of a longer one, and may end within a character.
 * @returns undefined for any other content.
 */
export function encodingOf(content: Buffer, isHead = false): TextEncodingLabel | undefined {
  const mark = content.subarray(0, 2).toString('hex')
  const marked = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : undefined
  if (marked) return decoded(content, marked, isHead) === undefined ? undefined : marked
  const hasZero = content.includes(0)
  if (!hasZero && decoded(content, 'utf-8', isHead) !== undefined) return 'utf-8'
  if (hasZero) return unmarked.find((label) => isPlain(decoded(content, label, isHead)))
  return isHebrewOfWindows(content) ? 'windows-1255' : undefined
}

/** Decodes a text. Undefined if its encoding is not certain. */
export function decodedText(content: Buffer): string | undefined {
  const label = encodingOf(content)
  const text = label && decoded(content, label, false)
  return text?.includes('\0') ? undefined : text
}

const unmarked = ['utf-16le', 'utf-16be'] as const

function decoded(content: Buffer, label: TextEncodingLabel, isHead: boolean): string | undefined {
  try {
    return new TextDecoder(label, { fatal: true }).decode(content, { stream: isHead })
  } catch {
    return undefined
  }
}

/** In the wrong byte order, or of another content, most characters are of other scripts or unassigned. */
const isPlain = (text: string | undefined): boolean =>
  text !== undefined &&
  /^[\t\n\r\x20-\x7e\xa0-\xff\u0590-\u05ff\u2000-\u206f\u20aa-\u20ac\ufb1d-\ufb4f]+$/.test(text)

const hebrewWord = /(?<![A-Za-z])[א-ת\u05b0-\u05c2]{2,}(?![A-Za-z])/g
const finalInside = /[ךםןףץ][א-ת]/
/** Letters that a word does not end with, because they have a final form. */
const finalLetter = /[ךםןףץ][\u05b0-\u05c2]*$/

/**
 * Whether the bytes are Hebrew in windows-1255. Its letters are also those of Western, Greek and Cyrillic encodings, so the
 * text must spell as Hebrew does: letters in words of their own, final forms at ends only, and some of them.
 */
function isHebrewOfWindows(content: Buffer): boolean {
  const text = decoded(content, 'windows-1255', false)
  if (text === undefined || /[\x80-\x9f]/.test(text)) return false
  const words = text.match(hebrewWord) ?? []
  const letters = text.match(/[א-ת]/g)?.length ?? 0
  const inWords = words.join('').match(/[א-ת]/g)?.length ?? 0
  const foreign = text.match(/[\xa1-\u024f]/g)?.length ?? 0
  return (
    words.length > 1 &&
    inWords * 10 >= letters * 9 &&
    foreign * 10 <= letters &&
    words.some((word) => finalLetter.test(word)) &&
    !words.some((word) => finalInside.test(word))
  )
}
