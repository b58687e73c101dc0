import {
  AlignmentType,
  BorderStyle,
  ExternalHyperlink,
  HeadingLevel,
  type ILevelsOptions,
  LevelFormat,
  type Paragraph,
  type ParagraphChild,
  Table,
  TableCell,
  TableLayoutType,
  TableRow,
  TextRun,
  WidthType,
} from 'docx'
import { colours, paragraph, type RunStyle, runs } from '../docx-text.ts'
import type { Direction } from '../sheet.ts'
import type { Block, Inline } from './blocks.ts'

/** The numbering of one list, as the document declares it. */
export type ListNumbering = { readonly reference: string; readonly levels: readonly ILevelsOptions[] }

const headings = [
  HeadingLevel.HEADING_2,
  HeadingLevel.HEADING_3,
  HeadingLevel.HEADING_4,
  HeadingLevel.HEADING_5,
  HeadingLevel.HEADING_6,
] as const

/** Indent of a list level in twentieths of a point. */
const indent = 400
const maxDepth = 9

/**
 * Blocks as paragraphs and tables of a Word document.
 * @param name begins the names of the lists; unique in the document.
 */
export function docxBlocks(
  blocks: readonly Block[],
  name: string,
): { readonly children: readonly (Paragraph | Table)[]; readonly lists: readonly ListNumbering[] } {
  const items = blocks.filter(({ marker }) => marker !== '')
  const firsts = [...Map.groupBy(items, ({ list }) => list).values()].flatMap(([first]) => first ?? [])
  return {
    children: blocks.flatMap((block) => blockOf(block, name)),
    lists: firsts.map((first) => numberingOf(first, name)),
  }
}

/** A list has its own numbering, so that no list continues the numbers of another one. */
function numberingOf({ list, marker }: Block, name: string): ListNumbering {
  const isOrdered = marker !== '•'
  const levels = Array.from({ length: maxDepth }, (_, level) => ({
    level,
    format: isOrdered ? LevelFormat.DECIMAL : LevelFormat.BULLET,
    text: isOrdered ? `%${level + 1}.` : '•',
    alignment: AlignmentType.START,
    ...(isOrdered && { start: Number.parseInt(marker, 10) }),
    style: { paragraph: { indent: { left: indent * (level + 1), hanging: indent - 100 } } },
  }))
  return { reference: `${name}-${list}`, levels }
}

function blockOf(block: Block, name: string): readonly (Paragraph | Table)[] {
  switch (block.kind) {
    case 'table':
      return [tableOf(block), paragraph([], block.direction)]
    case 'rule':
      return [paragraph([], 'ltr', { border: { bottom: { ...ruleBorder, space: 1 } } })]
    case 'code': {
      const lines = block.lines.map((text) => [{ ...plain, text, code: true }])
      return [paragraph(children(lines.flatMap(withBreak), 'ltr'), 'ltr', placeOf(block, name))]
    }
    case 'heading':
      return [
        paragraph(children(block.content, block.direction, { bold: true }), block.direction, {
          ...placeOf(block, name),
          heading: headings[Math.min(block.level, headings.length) - 1] ?? HeadingLevel.HEADING_6,
          keepNext: true,
          spacing: { before: 200, after: 60 },
        }),
      ]
    case 'paragraph':
      return [paragraph(children(block.content, block.direction), block.direction, placeOf(block, name))]
  }
}

const plain: Inline = { text: '', bold: false, italic: false, code: false, url: '' }

function withBreak(line: readonly Inline[], at: number): readonly Inline[] {
  return at === 0 ? line : [{ ...plain, text: '\n' }, ...line]
}

/** Indent and numbering of a list, and the tint of a quotation, which needs no side. */
function placeOf({ depth, marker, list, isQuoted }: Block, name: string) {
  const level = Math.min(depth, maxDepth)
  const start = indent * level + (isQuoted ? indent : 0)
  return {
    spacing: { after: 100 },
    ...(marker !== ''
      ? { numbering: { reference: `${name}-${list}`, level: level - 1 } }
      : start > 0 && { indent: { left: start, ...(isQuoted && { right: indent }) } }),
    ...(isQuoted && { shading: { fill: colours.note } }),
  }
}

function children(
  content: readonly Inline[],
  direction: Direction,
  style: RunStyle = {},
): readonly ParagraphChild[] {
  return content.flatMap((inline): readonly ParagraphChild[] => {
    if (inline.text === '\n') return [new TextRun({ break: 1 })]
    const format: RunStyle = {
      ...style,
      ...((inline.bold || style.bold) && { bold: true }),
      ...(inline.italic && { italic: true }),
      ...(inline.code && { code: true }),
      ...(inline.url !== '' && { color: colours.accent }),
    }
    const own = runs(inline.text, direction, format)
    return inline.url === '' ? own : [new ExternalHyperlink({ link: inline.url, children: [...own] })]
  })
}

const ruleBorder = { style: BorderStyle.SINGLE, size: 4, color: colours.rule } as const

function tableOf({ rows, direction }: Extract<Block, { kind: 'table' }>): Table {
  const sides = ['top', 'bottom', 'left', 'right', 'insideHorizontal', 'insideVertical'] as const
  return new Table({
    visuallyRightToLeft: direction === 'rtl',
    width: { size: 100, type: WidthType.PERCENTAGE },
    layout: TableLayoutType.AUTOFIT,
    borders: Object.fromEntries(sides.map((side) => [side, ruleBorder])),
    rows: rows.map(
      (row, at) =>
        new TableRow({
          tableHeader: at === 0,
          cantSplit: true,
          children: row.map((cell) => cellOf(cell, direction, at === 0)),
        }),
    ),
  })
}

function cellOf(content: readonly Inline[], direction: Direction, isHead: boolean): TableCell {
  return new TableCell({
    margins: { top: 60, bottom: 60, left: 100, right: 100 },
    ...(isHead && { shading: { fill: colours.note } }),
    children: [paragraph(children(content, direction, isHead ? { bold: true } : {}), direction)],
  })
}
