import {
  AlignmentType,
  BorderStyle,
  Document,
  Footer,
  HeadingLevel,
  Packer,
  PageNumber,
  type Paragraph,
  type Table,
  TextRun,
} from 'docx'
import { blocksOf } from './answers/blocks.ts'
import { docxBlocks } from './answers/docx-blocks.ts'
import { noteTable, sourceTable } from './docx-table.ts'
import { colours, link, mainFont, paragraph, runs, sizes, textParagraph } from './docx-text.ts'
import type { FontFaces, PrintFonts } from './fonts.ts'
import {
  directionOf,
  type Exchange,
  hasCantillation,
  paragraphsOf,
  type Sheet,
  type SheetSource,
  type UsedVersion,
  versionsOf,
} from './sheet.ts'
import {
  colophonOf,
  directionOfSheet,
  headingOf,
  licenseText,
  versionName,
  versionTitle,
  type Words,
  wordsOf,
} from './words.ts'

/** Renders a sheet as a Word document (ECMA-376) with embedded fonts. */
export function sheetToDocx(sheet: Sheet, fonts: PrintFonts): Promise<Buffer> {
  const words = wordsOf(sheet)
  const answers = (sheet.exchanges ?? []).map(exchangeBlocks)
  const document = new Document({
    title: sheet.title,
    creator: words.creator,
    styles: documentStyles,
    fonts: [embedded(fonts.main), ...(isCantillated(sheet) ? [embedded(fonts.cantillated)] : [])],
    numbering: { config: answers.flatMap(({ lists }) => lists) },
    sections: [
      {
        properties: { page: { margin: { top: 1134, bottom: 1134, left: 1134, right: 1134, footer: 567 } } },
        footers: { default: pageFooter(sheet) },
        children: [
          titleParagraph(sheet),
          ...paragraphsOf(sheet.intro).map((line) =>
            textParagraph(line, { color: colours.grey }, { spacing: { after: 80 } }),
          ),
          ...answers.flatMap(({ children }) => children),
          ...sheet.sources.flatMap((source, index) => sourceBlocks(source, index + 1, words)),
          ...(sheet.sources.length > 0 ? endList(sheet, words) : []),
        ],
      },
    ],
  })
  return Packer.toBuffer(document)
}

const documentStyles = {
  default: {
    document: {
      run: {
        font: { ascii: mainFont, hAnsi: mainFont, cs: mainFont, eastAsia: mainFont },
        size: sizes.text[0],
        sizeComplexScript: sizes.text[1],
        language: { value: 'en-US', bidirectional: 'he-IL' },
      },
      paragraph: { spacing: { line: 288 } },
    },
    title: { run: { color: colours.ink } },
    heading1: { run: { color: colours.ink } },
    heading2: { run: { color: colours.ink } },
  },
} as const

function embedded({ name, regular, bold }: FontFaces) {
  return { name, data: regular, bold }
}

function isCantillated(sheet: Sheet): boolean {
  return sheet.sources.some(({ rows }) => rows.some(({ texts }) => hasCantillation(texts.he)))
}

function titleParagraph({ title }: Sheet): Paragraph {
  return textParagraph(
    title,
    { size: 'title', bold: true, color: colours.ink },
    { heading: HeadingLevel.TITLE, alignment: AlignmentType.CENTER, spacing: { after: 240 } },
  )
}

function exchangeBlocks({ question, answer, checks }: Exchange, index: number) {
  const { children, lists } = docxBlocks(blocksOf(answer), `answer-${index + 1}`)
  const style = { size: 'heading', bold: true, color: colours.ink } as const
  const asked = paragraphsOf(question).map((line, at) =>
    textParagraph(line, at === 0 ? style : { bold: true }, {
      ...(at === 0 && { heading: HeadingLevel.HEADING_1 }),
      keepNext: true,
      spacing: { before: at === 0 ? 400 : 0, after: 60 },
    }),
  )
  const label = (text: string, place = {}) =>
    textParagraph(text, { size: 'small', bold: true, color: colours.accent }, { ...place, keepNext: true })
  const checked =
    checks === undefined || checks.lines.length === 0
      ? []
      : [
          label(checks.label, framed),
          ...checks.lines.map((line) => textParagraph(line.replace(isolates, ''), {}, framed)),
        ]
  const named = children.length === 0 || checks === undefined ? [] : [label(checks.answerLabel)]
  return { children: [...asked, ...checked, ...named, ...children], lists }
}

/** The checks have a ground that no answer has. */
const framed = { shading: { fill: colours.note }, spacing: { after: 40 } } as const

/** Word has no isolates: its runs have their directions. */
const isolates = /[\u2066-\u2069]/g

function sourceBlocks(source: SheetSource, number: number, words: Words): readonly (Paragraph | Table)[] {
  return [
    headingParagraph(headingOf(source, words), number),
    sourceTable(source, words),
    ...noteTable(source, words),
  ]
}

function headingParagraph(text: string, number: number): Paragraph {
  const direction = directionOf(text)
  const style = { size: 'heading', bold: true } as const
  const children = [
    ...runs(`${number}`, direction, { ...style, color: colours.accent }),
    ...runs(`\u2002${text}`, direction, { ...style, color: colours.ink }),
  ]
  return paragraph(children, direction, {
    heading: HeadingLevel.HEADING_1,
    keepNext: true,
    spacing: { before: 400, after: 60 },
  })
}

function endList(sheet: Sheet, words: Words): readonly Paragraph[] {
  const direction = directionOfSheet(sheet)
  const style = { size: 'small', color: colours.grey, direction } as const
  const rule = { style: BorderStyle.SINGLE, size: 4, space: 8, color: colours.rule }
  return [
    textParagraph(
      words.versions,
      { bold: true, color: colours.ink, direction },
      {
        heading: HeadingLevel.HEADING_2,
        keepNext: true,
        border: { top: rule },
        spacing: { before: 560, after: 80 },
      },
    ),
    ...versionsOf(sheet).map((version) => versionItem(version, words, style)),
    textParagraph(colophonOf(sheet, words), style, { spacing: { before: 120 } }),
  ]
}

function versionItem(
  version: UsedVersion,
  words: Words,
  style: { readonly size: 'small'; readonly color: string; readonly direction: 'rtl' | 'ltr' },
): Paragraph {
  const { direction } = style
  const name = `${versionName(version, words)}: ${versionTitle(version, words)}. ${words.license}: ${licenseText(version, words)}. `
  const numbers = ` (${words.sources}: ${version.sources.join(', ')})`
  return paragraph(
    [
      ...runs(name, direction, style),
      ...(version.url === '' ? [] : [link(version.url, style)]),
      ...runs(numbers, direction, style),
    ],
    direction,
    { spacing: { after: 40 } },
  )
}

function pageFooter(sheet: Sheet): Footer {
  const format = { size: sizes.small[0], sizeComplexScript: sizes.small[1], color: colours.grey }
  const number = new TextRun({
    ...format,
    children: [PageNumber.CURRENT, '/', PageNumber.TOTAL_PAGES],
  })
  return new Footer({
    children: [
      paragraph(
        [...runs(`${sheet.title}\u2003`, 'ltr', { size: 'small', color: colours.grey }), number],
        // Always left to right: a right-to-left line would show page 2 of 4 as 4/2.
        'ltr',
        { alignment: AlignmentType.CENTER },
      ),
    ],
  })
}
