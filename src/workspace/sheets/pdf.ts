import { NodeCompiler } from '@myriaddreamin/typst-ts-node-compiler'
import { attachedText } from '../documents/kinds.ts'
import { type Block, blocksOf, type Inline } from './answers/blocks.ts'
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
import { completeTextLayer } from './text-layer/complete-text-layer.ts'
import {
  colophonOf,
  directionOfSheet,
  headingOf,
  licenseText,
  noteLabel,
  refsBelow,
  versionLine,
  versionName,
  versionTitle,
  type Words,
  wordsOf,
} from './words.ts'

/**
 * Renders a sheet as PDF with Typst, which supports pointed Hebrew and the Unicode Bidirectional Algorithm. All texts
 * are passed to the template as data, so none is interpreted as Typst code. The file carries its text as an attachment,
 * because no reader finds the order of pointed letters and columns in the drawing.
 */
export function sheetToPdf(sheet: Sheet, fonts: PrintFonts, template: string): Buffer {
  const { main, cantillated } = fonts
  const fontBlobs = [main.regular, main.bold, cantillated.regular, cantillated.bold]
  const compiler = NodeCompiler.create({ fontArgs: [{ fontBlobs }] })
  const data = dataOf(sheet)
  const attached = { name: attachedText, text: plainText(data) }
  const inputs = { sheet: JSON.stringify({ ...data, attached }) }
  return completeTextLayer(compiler.pdf({ mainFileContent: template, inputs }))
}

/** The data for the template: every text with the properties that depend on it. */
function dataOf(sheet: Sheet) {
  const words = wordsOf(sheet)
  const direction = directionOfSheet(sheet)
  return {
    title: textOf(sheet.title),
    dir: direction,
    intro: paragraphsOf(sheet.intro).map(textOf),
    exchanges: (sheet.exchanges ?? []).map(({ question, answer, checks }) => ({
      question: paragraphsOf(question).map(textOf),
      checks: checks?.lines.length ? [checks.label, ...checks.lines].map(textOf) : [],
      answer: checks === undefined || answer === '' ? [] : [textOf(checks.answerLabel)],
      blocks: blocksOf(answer).map(blockOf),
    })),
    sources: sheet.sources.map((source) => sourceOf(source, words)),
    versions: {
      heading: words.versions,
      colophon: colophonOf(sheet, words),
      items: versionsOf(sheet).map((version) => ({
        text: `${versionName(version, words)}: ${isolated(versionTitle(version, words), direction)}. ${words.license}: ${licenseText(version, words)}.`,
        url: version.url,
        sources: `(${words.sources}: ${version.sources.join(', ')})`,
      })),
    },
  }
}

/** All texts in the order of reading, a paragraph a line. */
function plainText({ title, intro, exchanges, sources, versions }: ReturnType<typeof dataOf>): string {
  const lines = [
    title.text,
    ...intro.map(({ text }) => text),
    ...exchanges.flatMap(({ question, checks, answer, blocks }) => [
      '',
      ...[...question, ...checks, ...answer].map(({ text }) => text),
      ...blocks.flatMap(linesOf),
    ]),
    ...sources.flatMap(({ heading, ref, heRef, columns, rows, note }, i) => [
      '',
      `${i + 1} ${heading.text}`,
      [ref, heRef].filter((one) => one !== '').join(' '),
      ...rows.flatMap((cells) =>
        cells.map(({ label, lines: of }) =>
          [label, ...of.map(({ text }) => text)].filter((one) => one !== '').join(' '),
        ),
      ),
      ...columns.map(({ version, url }) => `${version.text} ${url}`),
      ...(note.lines.length > 0 ? [note.label, ...note.lines.map(({ text }) => text)] : []),
    ]),
    ...(sources.length > 0
      ? [
          '',
          versions.heading,
          ...versions.items.map(({ text, url, sources: of }) => `${text} ${url} ${of}`),
          versions.colophon,
        ]
      : []),
  ]
  return lines.join('\n')
}

function linesOf(block: ReturnType<typeof blockOf>): readonly string[] {
  const lined = (content: readonly Inline[]) =>
    content.map(({ text }) => text.replace(/[\u2066-\u2069]/g, '')).join('')
  switch (block.kind) {
    case 'heading':
    case 'paragraph':
      return [`${block.marker} ${lined(block.content)}`]
    case 'code':
      return block.lines
    case 'table':
      return block.rows.map((row) => row.map(lined).join(' '))
    case 'rule':
      return []
  }
}

function blockOf(block: Block) {
  const { direction: dir, ...rest } = block
  if (rest.kind === 'table') return { ...rest, dir, rows: rest.rows.map((row) => row.map(inlines)) }
  if (rest.kind === 'heading' || rest.kind === 'paragraph')
    return { ...rest, dir, content: inlines(rest.content) }
  return { ...rest, dir }
}

/** Numbers of sources are isolated: after Hebrew words of an English line they would stand before them. */
function inlines(content: readonly Inline[]) {
  return content.map((inline) => ({
    ...inline,
    text: inline.text.replace(/\[\d{1,3}\]/g, '\u2068$&\u2069'),
    cantillated: hasCantillation(inline.text),
    isHebrew: directionOf(inline.text) === 'rtl',
  }))
}

function sourceOf(source: SheetSource, words: Words) {
  const { note, versions, rows } = source
  const { en: ref, he: heRef } = refsBelow(source, words)
  return {
    heading: textOf(headingOf(source, words)),
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
    note: { label: noteLabel(note, words), lines: paragraphsOf(note).map(textOf) },
  }
}

/**
 * Isolates a text from elsewhere, so that it keeps its order in a line of the other direction (UAX 9, first strong
 * isolate).
 */
function isolated(text: string, line: Direction): string {
  return directionOf(text) === line ? text : `\u2068${text}\u2069`
}

function textOf(text: string) {
  return { text, dir: directionOf(text), cantillated: hasCantillation(text) }
}
