import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import type { PrintFonts } from './fonts.ts'
import {
  type Direction,
  directionOf,
  hasCantillation,
  paragraphsOf,
  type Sheet,
  type SheetSource,
  versionsOf,
} from './sheet.ts'
import {
  directionOfSheet,
  licenseText,
  versionLine,
  versionName,
  type Words,
  wordsFor,
  wordsOf,
} from './words.ts'

/**
 * The sheet as a PDF, set by Typst, which shapes Hebrew with its points and orders it by the Unicode Bidirectional
 * Algorithm. The template takes all words as data: none of them is ever read as its language.
 */
export function sheetToPdf(sheet: Sheet, fonts: PrintFonts, template: string): Buffer {
  const { main, cantillated } = fonts
  const fontBlobs = [main.regular, main.bold, cantillated.regular, cantillated.bold]
  const compiler = NodeCompiler.create({ fontArgs: [{ fontBlobs }] })
  return compiler.pdf({
    mainFileContent: template,
    inputs: { sheet: JSON.stringify(dataOf(sheet)) },
  })
}

/** What the template takes: every text with all that depends on what it is. */
function dataOf(sheet: Sheet) {
  const words = wordsOf(sheet)
  const direction = directionOfSheet(sheet)
  return {
    title: textOf(sheet.title),
    dir: direction,
    intro: paragraphsOf(sheet.intro).map(textOf),
    sources: sheet.sources.map((source) => sourceOf(source, words)),
    versions: {
      heading: words.versions,
      colophon: words.colophon,
      items: versionsOf(sheet).map((version) => ({
        text: `${versionName(version, words)}: ${isolated(version.title, direction)}. ${words.license}: ${licenseText(version, words)}.`,
        url: version.url,
        sources: `(${words.sources}: ${version.sources.join(', ')})`,
      })),
    },
  }
}

function sourceOf(source: SheetSource, words: Words) {
  const { heading, ref, heRef, note, versions, rows } = source
  return {
    heading: textOf(heading === '' ? ref : heading),
    ref,
    heRef,
    columns: versions.map((version) => ({
      language: version.language,
      version: textOf(versionLine(version, words)),
      url: version.url,
    })),
    rows: rows.map(({ label, texts }) =>
      versions.map(({ language }) => ({
        label: label[language],
        lines: paragraphsOf(texts[language]).map(textOf),
      })),
    ),
    note: { label: wordsFor(directionOf(note)).note, lines: paragraphsOf(note).map(textOf) },
  }
}

/** Words that come from elsewhere keep their order inside a line of the other direction (UAX 9, first strong isolate). */
function isolated(text: string, line: Direction): string {
  return directionOf(text) === line ? text : `\u2068${text}\u2069`
}

function textOf(text: string) {
  return { text, dir: directionOf(text), cantillated: hasCantillation(text) }
}
