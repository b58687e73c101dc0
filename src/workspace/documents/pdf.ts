import { getDocumentProxy } from 'unpdf'
import { typstPages } from '../typst-pdf/pages.ts'
import type { TextRun } from '../typst-pdf/text-runs.ts'
import { Unreadable } from './markup.ts'
import { linesOf, type PdfItem, type PdfLine } from './pdf-lines.ts'
import { linesOfRuns } from './run-lines.ts'
import type { TextWriter } from './text-writer.ts'

/** Minimum distance of two lines between paragraphs, in letter heights. */
const paragraphGap = 1.9

/**
 * Extracts the text of a PDF, with a form feed after each page.
 * @param enough called after each page; true stops reading.
 * @returns the number of pages that were not read.
 * @throws Unreadable when it is damaged or has a password.
 */
export async function readPdf(content: Buffer, writer: TextWriter, enough: () => boolean): Promise<number> {
  const pages = typstPages(content)
  return pages ? writePages(pages, writer, enough) : readWithPdfJs(content, writer, enough)
}

/** Typst states the text of each letter with its points, which PDF.js ignores. */
function writePages(
  pages: readonly (readonly TextRun[])[],
  writer: TextWriter,
  enough: () => boolean,
): number {
  for (const [at, runs] of pages.entries()) {
    writeLines(writer, linesOfRuns(runs))
    writer.page()
    if (enough()) return pages.length - at - 1
  }
  return 0
}

async function readWithPdfJs(content: Buffer, writer: TextWriter, enough: () => boolean): Promise<number> {
  const document = await opened(content)
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
