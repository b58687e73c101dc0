import type { TextRun } from '../typst-pdf/text-runs.ts'
import type { PdfLine } from './pdf-lines.ts'

/** Maximum vertical distance of runs on one line, as a fraction of the letter height. */
const lineTolerance = 0.5
/** Minimum width of a gap between columns, as a fraction of the letter height. */
const columnGap = 1.2
/** Minimum width of a gap that is a space although no space is drawn. */
const blankWidth = 0.12

/** Characters that order a text of two directions. They show nothing. */
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

type Runs = readonly [TextRun, ...TextRun[]]

/** The lines of a page in the order in which Typst draws them, each in reading order. */
export function linesOfRuns(runs: readonly TextRun[]): readonly PdfLine[] {
  const rows: [TextRun, ...TextRun[]][] = []
  for (const run of runs) {
    const row = rows.at(-1)
    if (row && isBeside(row[0], run)) row.push(run)
    else rows.push([run])
  }
  return rows.flatMap(columnsOf).map((line) => ({
    text: textOf(line),
    y: line[0].y,
    height: Math.max(...line.map(({ height }) => height)),
  }))
}

function isBeside(a: TextRun, b: TextRun): boolean {
  return Math.abs(a.y - b.y) <= lineTolerance * Math.max(a.height, b.height, 1)
}

/** Splits a row at wide gaps. The first column is the one that is drawn first. */
function columnsOf(row: Runs): readonly Runs[] {
  const columns = new Map<TextRun, number>()
  let column = 0
  for (const { run, gap } of withGaps(row)) {
    if (gap > columnGap * Math.max(run.height, 1)) column += 1
    columns.set(run, column)
  }
  return [...Map.groupBy(row, (run) => columns.get(run)).values()].flatMap(([first, ...others]) =>
    first ? [[first, ...others] as const] : [],
  )
}

/**
 * The runs from left to right, each with the run before it and the width between them. It is 0 where a space is drawn,
 * which justification makes wide. Columns have letters of different sizes, and a line may end with a space.
 */
function withGaps(row: Runs) {
  const sorted = row.toSorted((a, b) => leftOf(a) - leftOf(b))
  return sorted.map((run, at) => {
    const before = sorted[at - 1]
    const isSpaced = before !== undefined && before.height === run.height && isBlankBetween(before, run)
    return { run, before, gap: before && !isSpaced ? leftOf(run) - rightOf(before) : 0 }
  })
}

function isBlankBetween(before: TextRun, run: TextRun): boolean {
  return /^\s$/.test(before.clusters.at(-1)?.text ?? '') || /^\s$/.test(run.clusters[0]?.text ?? '')
}

/**
 * The text of a line. Typst draws the runs of a line in reading order, but draws from left to right the pieces of a
 * right-to-left run: it splits one where a point stands higher or lower.
 */
function textOf(line: Runs): string {
  const gaps = gapsOf(line)
  let text = ''
  let previous: TextRun | undefined
  for (const run of withPiecesTurned(line)) {
    if (previous && (gaps.get(previous) === run || gaps.get(run) === previous)) text += ' '
    text += readRun(run)
    previous = run
  }
  return text.replace(directionMarks, '').replace(/\s/g, ' ').trim().normalize('NFC')
}

function withPiecesTurned(line: Runs): readonly TextRun[] {
  const ordered: TextRun[] = []
  let pieces: TextRun[] = []
  for (const run of line) {
    const last = pieces.at(-1)
    if (!run.isRightToLeft || (last && leftOf(run) < leftOf(last))) {
      ordered.push(...pieces.reverse())
      pieces = []
    }
    if (run.isRightToLeft) pieces.push(run)
    else ordered.push(run)
  }
  return [...ordered, ...pieces.reverse()]
}

function readRun({ clusters, isRightToLeft }: TextRun): string {
  const texts = clusters.map(({ text }) => text)
  return (isRightToLeft ? texts.reverse() : texts).join('')
}

/**
 * The neighbour on the left of each run that has a gap there. Typst draws the spaces of a text; gaps stand between parts
 * of a line, such as a list's marker and its text.
 */
function gapsOf(line: Runs): ReadonlyMap<TextRun, TextRun> {
  return new Map(
    withGaps(line).flatMap(({ run, before, gap }) =>
      before && gap > blankWidth * run.height ? [[run, before] as const] : [],
    ),
  )
}

const leftOf = ({ clusters }: TextRun): number => clusters[0]?.left ?? 0
const rightOf = ({ clusters }: TextRun): number => clusters.at(-1)?.right ?? 0
