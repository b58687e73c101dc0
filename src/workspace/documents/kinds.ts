import { endingOf } from './file-names.ts'

/** How the text of a content is read: as it stands, or taken out of a document. */
export type TextKind = 'text' | DocumentKind

export type DocumentKind = 'pdf' | 'docx' | 'html'

/** Bytes of a content by which `kindOf` tells what it is. */
export const headBytes = 2_048

/** Beginnings of formats that are no text, and what to say of them. */
const unreadable: readonly (readonly [beginning: string, problem: string])[] = [
  ['d0cf11e0a1b11ae1', 'It is an old Word document or one with a password. Save it as DOCX without one.'],
  ['7b5c727466', 'It is an RTF document. Save it as DOCX.'],
]

const zipBeginning = '504b0304'
const byteOrderMarks = /^(efbbbf|fffe|feff)/

/**
 * Tells what a content is by its first bytes; its name and type count only between plain text and HTML, which look
 * alike. Names and types come from whoever uploaded it.
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
  if (head.includes(0) && !byteOrderMarks.test(hex))
    return { problem: 'It is neither a text nor a document.' }
  return isHtml(head, file) ? 'html' : 'text'
}

function isHtml(head: Buffer, file: { readonly name: string; readonly contentType: string }): boolean {
  if (/^(text\/html|application\/xhtml)/i.test(file.contentType)) return true
  return (
    /^x?html?$/.test(endingOf(file.name)) || /^\s*<(!doctype html|html)[\s>]/i.test(head.toString('latin1'))
  )
}
