import { endingOf } from './file-names.ts'
import { decodeText } from './text-encoding.ts'

/** How a content becomes text: it is text already, or its text is extracted from a document. */
export type TextKind = 'text' | DocumentKind

export type DocumentKind = 'pdf' | 'docx' | 'html'

/** Number of first bytes that `kindOf` needs. */
export const headBytes = 2_048

/** First bytes of formats without text, each with the message for the model. */
const unreadable: readonly (readonly [beginning: string, problem: string])[] = [
  ['d0cf11e0a1b11ae1', 'It is an old Word document or one with a password. Save it as DOCX without one.'],
  ['7b5c727466', 'It is an RTF document. Save it as DOCX.'],
]

/** Said of a text whose encoding is not certain. */
export const notUtf8 = 'It is not in UTF-8. Save the text as UTF-8 (in Excel: "CSV UTF-8").'

const zipBeginning = '504b0304'
const byteOrderMarks = /^(efbbbf|fffe|feff)/

/**
 * Detects the kind of a content by its first bytes. Name and type decide only between plain text and HTML, because
 * they come from the uploader.
 */
export function kindOf(
  head: Buffer,
  file: { readonly name: string; readonly contentType: string },
): TextKind | { readonly problem: string } {
  const hex = head.subarray(0, 8).toString('hex')
  const known = unreadable.find(([beginning]) => hex.startsWith(beginning))
  if (known) return { problem: known[1] }
  if (hex.startsWith(zipBeginning)) return 'docx'
  if (head.subarray(0, 1_024).includes('%PDF-')) return 'pdf'
  if (
    head.includes(0) &&
    !byteOrderMarks.test(hex) &&
    decodeText(head.subarray(0, head.length & ~1)) === undefined
  )
    return { problem: 'It is neither a text nor a document.' }
  return isHtml(head, file) ? 'html' : 'text'
}

function isHtml(head: Buffer, file: { readonly name: string; readonly contentType: string }): boolean {
  if (/^(text\/html|application\/xhtml)/i.test(file.contentType)) return true
  return (
    /^x?html?$/.test(endingOf(file.name)) || /^\s*<(!doctype html|html)[\s>]/i.test(head.toString('latin1'))
  )
}
