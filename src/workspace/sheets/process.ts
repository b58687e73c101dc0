import { readFile } from 'node:fs/promises'
import process from 'node:process'
import { json } from 'node:stream/consumers'
import { closeNetwork } from '../children/closed-network.ts'
import { startGuard } from '../children/guard.ts'
import { loadPrintFonts, loadWebFonts } from './fonts.ts'
import { sheetToHtml } from './html.ts'
import { sheetToMarkdown } from './markdown.ts'
import type { RenderRequest, RenderResult } from './render.ts'
import type { Sheet, SheetFormat } from './sheet.ts'

/**
 * The child process of `render`. It reads a sheet and the requested formats as JSON and writes each result in base64.
 */

const renderers: Readonly<Record<SheetFormat, (sheet: Sheet) => Promise<string | Buffer>>> = {
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

const [cpuMs, memoryBytes] = process.argv.slice(2)
const guard = startGuard({ cpuMs: Number(cpuMs), memoryBytes: Number(memoryBytes) })
closeNetwork()
const { sheet, formats } = (await json(process.stdin)) as RenderRequest
const result: Record<string, string> = {}
for (const format of formats) result[format] = Buffer.from(await renderers[format](sheet)).toString('base64')
process.stdout.write(JSON.stringify(result satisfies RenderResult))
await guard.terminate()
