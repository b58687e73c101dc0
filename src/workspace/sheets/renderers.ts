import { readFile } from 'node:fs/promises'
import { loadPrintFonts, loadWebFonts } from './fonts.ts'
import { sheetToHtml } from './html.ts'
import { sheetToMarkdown } from './markdown.ts'
import type { Sheet, SheetFormat } from './sheet.ts'

/** Makes the content of each format. A service renders in the child process of `render`, because it takes seconds. */
export const renderers: Readonly<Record<SheetFormat, (sheet: Sheet) => Promise<string | Buffer>>> = {
  md: async (sheet) => sheetToMarkdown(sheet),
  html: async (sheet) => sheetToHtml(sheet, await loadWebFonts()),
  docx: async (sheet) => {
    const { sheetToDocx } = await import('./docx.ts')
    return sheetToDocx(sheet, await loadPrintFonts())
  },
  pdf: async (sheet) => {
    const { sheetToPdf } = await import('./pdf.ts')
    const template = await readFile(new URL('./sheet.typ', import.meta.url), 'utf8')
    return sheetToPdf(sheet, await loadPrintFonts(), template)
  },
}
