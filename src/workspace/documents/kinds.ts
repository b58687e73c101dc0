import { endingOf } from './file-names.ts'
import { encodingOf } from './text-encoding.ts'

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

const zipBeginning = '504b0304'

/** The message for a text whose encoding is not certain. */
export const unknownEncoding = 'It is a text in an encoding that cannot be told. Save it as UTF-8.'

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
  if (isHtml(head, file)) return 'html'
  if (encodingOf(head, true) !== undefined) return 'text'
  return { problem: head.includes(0) ? 'It is neither a text nor a document.' : unknownEncoding }
}

function isHtml(head: Buffer, file: { readonly name: string; readonly contentType: string }): boolean {
  if (/^(text\/html|application\/xhtml)/i.test(file.contentType)) return true
  return (
    /^x?html?$/.test(endingOf(file.name)) || /^\s*<(!doctype html|html)[\s>]/i.test(head.toString('latin1'))
  )
}

/** Name of the attachment in which PDFs of this service carry their text. */
export const attachedText = 'text.txt'
