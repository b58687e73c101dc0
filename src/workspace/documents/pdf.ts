import { getDocumentProxy } from 'unpdf'
import { attachedText } from './kinds.ts'
import { Unreadable } from './markup.ts'
import { linesOf, type PdfItem, type PdfLine } from './pdf-lines.ts'
import type { TextWriter } from './text-writer.ts'

/** Minimum distance of two lines between paragraphs, in letter heights. */
const paragraphGap = 1.9

/**
 * Extracts the text of a PDF, with a form feed after each page. A PDF that this service made carries its text, which is
 * read as one page.
 * @param enough called after each page; true stops reading.
 * @returns the number of pages that were not read.
 * @throws Unreadable when it is damaged or has a password.
 */
export async function readPdf(content: Buffer, writer: TextWriter, enough: () => boolean): Promise<number> {
  const document = await opened(content)
  const attachments = await document.getAttachments()
  const attached = attachments?.has(attachedText) ? await document.getAttachmentContent(attachedText) : null
  if (attached) {
    writeAttached(writer, attached)
    return 0
  }
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent({ disableNormalization: true })
    writeLines(writer, linesOf(items.filter((item): item is PdfItem & typeof item => 'str' in item)))
    writer.page()
    page.cleanup()
    if (enough()) return document.numPages - number
  }
  return 0
}

function writeAttached(writer: TextWriter, content: Uint8Array): void {
  for (const line of new TextDecoder().decode(content).split('\n')) {
    if (line === '') writer.block()
    writer.text(line)
    writer.line()
  }
  writer.page()
}

async function opened(content: Buffer) {
  try {
    return await getDocumentProxy(new Uint8Array(content), { verbosity: 0, disableFontFace: true })
  } catch (error) {
    const locked = error instanceof Error && error.name === 'PasswordException'
    throw new Unreadable(locked ? 'It has a password.' : 'It is damaged or no PDF at all.')
  }
}

function writeLines(writer: TextWriter, lines: readonly PdfLine[]): void {
  let previous: PdfLine | undefined
  for (const line of lines) {
    const gap = previous ? previous.y - line.y : 0
    const height = Math.max(line.height, previous?.height ?? 0, 1)
    if (gap < 0 || gap > paragraphGap * height) writer.block()
    // A line may end after a maqaf, which joins two words.
    else if (!previous?.text.endsWith('\u05be')) writer.line()
    writer.text(line.text)
    previous = line
  }
}
