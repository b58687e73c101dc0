/**
 * Decodes a text of UTF-8, of UTF-16, or of the old encoding of Hebrew (Windows-1255, which has ISO 8859-8 in logical
 * order in it).
 * @returns undefined if no encoding is certain.
 */
export function decodeText(content: Buffer): string | undefined {
  const mark = content.subarray(0, 2).toString('hex')
  if (mark === 'fffe' || mark === 'feff') return decodedAs(mark === 'fffe' ? 'utf-16le' : 'utf-16be', content)
  const utf8 = decodedAs('utf-8', content)
  if (utf8 !== undefined) return utf8
  return ['utf-16le', 'utf-16be']
    .map((label) => decodedAs(label, content))
    .concat(hebrewIn(decodedAs('windows-1255', content)))
    .find((text) => text !== undefined && usual.test(text))
}

/** Texts of Hebrew and Latin letters only. Anything read in a wrong encoding has other characters. */
const usual =
  /^[\t\n\r\f\u0020-\u007e\u00a0-\u00ff\u0590-\u05ff\u200e\u200f\u2010-\u2026\u2030\u2039\u203a\u20aa\u20ac\u2122\u02c6\u02dc\u0192\ufb1d-\ufb4f]*$/

function decodedAs(label: string, content: Buffer): string | undefined {
  try {
    const text = new TextDecoder(label, { fatal: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

/** Final letters stand at the end of a word, points behind a letter, and words have no Latin letters in them. */
const impossible =
  /[ךםןףץ][\u0591-\u05c7]*[א-ת]|(?<![א-ת\u0591-\u05c7])[\u05b0-\u05bd\u05c1\u05c2]|[א-ת]\p{Script=Latin}|\p{Script=Latin}[א-ת]/u
const hebrewWord = /[א-ת]{2}/g
const accented = /[\u00c0-\u017f]/

/** The text if it is Hebrew beyond doubt: the same bytes are letters of other languages in other encodings. */
function hebrewIn(text: string | undefined): string | undefined {
  if (text === undefined || impossible.test(text) || accented.test(text)) return undefined
  return (text.match(hebrewWord)?.length ?? 0) >= 2 ? text : undefined
}
