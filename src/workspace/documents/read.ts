import { readDocx } from './docx.ts'
import { readHtml } from './html.ts'
import type { DocumentKind } from './kinds.ts'
import { Unreadable } from './markup.ts'
import { readPdf } from './pdf.ts'
import { maxText, TextFull, TextWriter } from './text-writer.ts'

/** The text of a document. `problem` says why it is empty or incomplete; it is empty when the text is complete. */
export type DocumentText = { readonly text: string; readonly problem: string }

/**
 * Extracts the text of a document. It runs in the child process of `extract`, because a hostile document can use any
 * amount of memory and time.
 * @param enough called at intervals; true stops reading and returns the text so far.
 */
export async function readDocument(
  kind: DocumentKind,
  content: Buffer,
  enough: () => boolean,
): Promise<DocumentText> {
  const writer = new TextWriter()
  try {
    const problem = await readWith(kind, content, writer, enough)
    const text = tidy(writer)
    return /\S/.test(text) ? { text, problem } : { text: '', problem: problem || noText(kind) }
  } catch (error) {
    if (error instanceof TextFull) {
      return { text: tidy(writer), problem: `Only its first ${maxText} characters are here.` }
    }
    if (error instanceof Unreadable) return { text: '', problem: error.message }
    return { text: '', problem: 'It is damaged: its text cannot be taken out.' }
  }
}

async function readWith(
  kind: DocumentKind,
  content: Buffer,
  writer: TextWriter,
  enough: () => boolean,
): Promise<string> {
  switch (kind) {
    case 'pdf': {
      const unread = await readPdf(content, writer, enough)
      return unread > 0 ? `Its last ${unread} pages were not read: that would take too long.` : ''
    }
    case 'docx':
      return (await readDocx(content, writer))
        ? 'A part of it is another document inside it, which was not read. Save it in Word again.'
        : ''
    case 'html':
      readHtml(content, writer)
      return ''
  }
}

/** Removes control characters, except line ends and page marks, and lone surrogates. */
function tidy(writer: TextWriter): string {
  return writer
    .toString()
    .replace(/(?![\n\f])\p{Cc}/gu, '')
    .toWellFormed()
}

/** The problem of a scanned PDF. */
export const noTextLayer =
  'It has no text layer: its pages are pictures. Recognise them first (OCR), and send the result.'

function noText(kind: DocumentKind): string {
  return kind === 'pdf' ? noTextLayer : 'It holds no text.'
}
