import {
  AlignmentType,
  BorderStyle,
  type ITableCellOptions,
  type Paragraph,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  WidthType,
} from 'docx'
import { colours, link, paragraph, runs, textParagraph } from './docx-text.ts'
import {
  type Direction,
  directionOf,
  languagesOf,
  paragraphsOf,
  type SheetLanguage,
  type SheetRow,
  type SheetSource,
} from './sheet.ts'
import { noteLabel, refsOf, versionLine, type Words } from './words.ts'

/** Margin in twentieths of a point. */
const sideMargin = 150
/**
 * Width between the page margins. The table is wider by the inner margins of its cells, so that its texts align with
 * headings.
 */
const noteWidth = 9638
const tableWidth = noteWidth + 2 * sideMargin

const none = { style: BorderStyle.NONE, size: 0, color: 'auto' } as const
const noBorders = {
  top: none,
  bottom: none,
  left: none,
  right: none,
  insideHorizontal: none,
  insideVertical: none,
}

/**
 * A table with refs, then the texts side by side, then the versions. It runs from right to left: Hebrew is its first
 * column, also for screen readers, and stands on the right.
 */
export function sourceTable(source: SheetSource, words: Words): Table {
  const languages = languagesOf(source)
  return new Table({
    visuallyRightToLeft: true,
    width: { size: tableWidth, type: WidthType.DXA },
    columnWidths: [tableWidth / 2, tableWidth / 2],
    alignment: AlignmentType.CENTER,
    layout: TableLayoutType.FIXED,
    borders: noBorders,
    rows: [
      refsRow(refsOf(source, words)),
      ...source.rows.map((row) => cells(languages.map((language) => textLines(row, language)))),
      cells(source.versions.map(({ language }) => [versionParagraph(source, language, words)])),
    ],
  })
}

function refsRow({ he, en }: Readonly<Record<SheetLanguage, string>>): TableRow {
  const rule = { style: BorderStyle.SINGLE, size: 4, color: colours.rule }
  const borders = { top: none, left: none, right: none, bottom: rule }
  const style = { color: colours.accent }
  const before = { keepNext: true, spacing: { after: 40 } }
  return new TableRow({
    tableHeader: true,
    cantSplit: true,
    children: [
      cell([textParagraph(he, { ...style, direction: 'rtl' }, before)], { borders }),
      cell([textParagraph(en, { ...style, direction: 'ltr' }, before)], { borders }),
    ],
  })
}

/** One cell per language. A single cell takes the whole row. */
function cells(contents: readonly (readonly Paragraph[])[]): TableRow {
  const columnSpan = contents.length > 1 ? 1 : 2
  return new TableRow({
    children: contents.map((lines) => cell(lines, { columnSpan })),
  })
}

/**
 * A cell with equal margins on both sides, because programs disagree which side is "left" in a right-to-left table.
 */
function cell(lines: readonly Paragraph[], more: Partial<ITableCellOptions>): TableCell {
  return new TableCell({
    width: { size: (tableWidth / 2) * (more.columnSpan ?? 1), type: WidthType.DXA },
    margins: { top: 90, bottom: 30, left: sideMargin, right: sideMargin },
    ...more,
    children: lines,
  })
}

function textLines({ label, texts }: SheetRow, language: SheetLanguage): readonly Paragraph[] {
  const direction: Direction = language === 'he' ? 'rtl' : 'ltr'
  const alignment = language === 'he' ? AlignmentType.BOTH : AlignmentType.START
  const lines = paragraphsOf(texts[language]).map((line, i) => {
    const number = i === 0 && label[language] !== '' ? `${label[language]}\u2002` : ''
    const children = [
      ...runs(number, direction, { size: 'small', color: colours.grey }),
      ...runs(line, direction),
    ]
    return paragraph(children, direction, { alignment, spacing: { after: 40 } })
  })
  return lines.length > 0 ? lines : [paragraph([], direction)]
}

function versionParagraph(source: SheetSource, language: SheetLanguage, words: Words): Paragraph {
  const version = source.versions.find((one) => one.language === language)
  const line = version ? versionLine(version, words) : ''
  const direction = directionOf(line)
  const style = { size: 'small', color: colours.grey } as const
  // Aligned to the side of its column, independent of the text direction.
  const alignment = language === 'he' ? AlignmentType.RIGHT : AlignmentType.LEFT
  const address =
    version && version.url !== '' ? [...runs(' ', direction, style), link(version.url, style)] : []
  return paragraph([...runs(line, direction, style), ...address], direction, { alignment })
}

/** A box with a line above it for the note of the sheet's author, so that it looks different from the text. */
export function noteTable({ note }: SheetSource, words: Words): readonly [] | readonly [Paragraph, Table] {
  if (note === '') return []
  const direction = directionOf(note)
  const rule = { style: BorderStyle.SINGLE, size: 12, color: colours.accent }
  const label = { size: 'small', bold: true, color: colours.accent, direction } as const
  const band = new TableCell({
    shading: { fill: colours.note },
    margins: { top: 100, bottom: 80, left: 180, right: 180 },
    borders: { ...noBorders, top: rule },
    children: [
      textParagraph(noteLabel(note, words), label, { keepNext: true }),
      ...paragraphsOf(note).map((line) => textParagraph(line, {}, { spacing: { after: 40 } })),
    ],
  })
  const table = new Table({
    width: { size: noteWidth, type: WidthType.DXA },
    columnWidths: [noteWidth],
    alignment: AlignmentType.CENTER,
    layout: TableLayoutType.FIXED,
    borders: noBorders,
    rows: [new TableRow({ cantSplit: true, children: [band] })],
  })
  // Word joins adjacent tables, so an empty paragraph separates them.
  return [paragraph([], direction, { spacing: { line: 160 } }), table]
}
