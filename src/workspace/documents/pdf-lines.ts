/** A piece of text from PDF.js. Pieces come in the order in which the page draws them. */
export type PdfItem = {
  readonly str: string
  /** Its transformation matrix. The last two numbers are its position from the left and from the bottom. */
  readonly transform: readonly number[]
  readonly width: number
  readonly height: number
}

export type PdfLine = {
  readonly text: string
  /** Position from the bottom, and size of the letters. They show where paragraphs begin. */
  readonly y: number
  readonly height: number
}

/** A base character with its marks (points, accents). */
type Cluster = { text: string; readonly left: number; readonly right: number; readonly height: number }

/** Maximum vertical distance of pieces on one line, as a fraction of the letter height. */
const lineTolerance = 0.5
/** Minimum width of a gap that is a space, as a fraction of the letter height. */
const blankWidth = 0.12

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu
const leftToRight = /[A-Za-z\u00c0-\u058f\u0900-\u1fff]/gu
const marksOnly = /^[\p{M}\s]+$/u

/**
 * Groups pieces of text into lines and sorts each line into reading order. Only the positions of pieces are reliable,
 * because programs often draw Hebrew lines from the left. Within a piece PDF.js already gives reading order.
 */
export function linesOf(pieces: readonly PdfItem[]): readonly PdfLine[] {
  const items = pieces.map((piece) => ({ ...piece, str: withoutForms(piece.str) }))
  const lines: PdfItem[][] = []
  let last: PdfItem | undefined
  for (const item of items) {
    if (item.str.trim() === '') continue
    if (last && isOneLine(last, item)) lines.at(-1)?.push(item)
    else lines.push([item])
    last = item
  }
  const isHebrewPage = isMostlyHebrew(items.map((item) => item.str).join(''))
  return lines.map((line) => readLine(line, isHebrewPage))
}

/** Neighbouring letters that are one character with their point. PDF.js takes them for left-to-right and does not reverse them. */
const hebrewForms = /[\ufb1d-\ufb4f](?:[^\p{L}\p{M}\p{N}]*[\ufb1d-\ufb4f])+/gu
const forms = /[\u00a0\u2000-\u200a\u202f\ufb00-\ufdfb\ufe70-\ufefc]/gu

/**
 * Replaces characters that only show another form of letters. PDF.js would do so before it reverses a piece, and a
 * point would then stand before its letter.
 */
function withoutForms(text: string): string {
  return text
    .replace(hebrewForms, (run) => [...run].reverse().join(''))
    .replace(forms, (form) => form.normalize('NFKC'))
}

function isMostlyHebrew(text: string): boolean {
  return count(text, rightToLeft) > count(text, leftToRight)
}

function isOneLine(a: PdfItem, b: PdfItem): boolean {
  return Math.abs(yOf(a) - yOf(b)) <= lineTolerance * Math.max(a.height, b.height, 1)
}

function readLine(items: readonly PdfItem[], isHebrewPage: boolean): PdfLine {
  const whole = items.map((item) => item.str).join('')
  const isHebrew = isMostlyHebrew(whole) || (isHebrewPage && beginsHebrew(items))
  const text = joined(inReadingOrder(clustersOf(items), isHebrew))
  const [first] = items
  const height = Math.max(...items.map((item) => item.height))
  // A space before a mark comes from drawing and is not part of the text.
  return { text: text.replace(/\s+(?=\p{M})/gu, '').trim(), y: first ? yOf(first) : 0, height }
}

/** Joins clusters, with a space wherever there is a gap. */
function joined(clusters: readonly Cluster[]): string {
  let text = ''
  let previous: Cluster | undefined
  for (const cluster of clusters) {
    const gap = previous ? Math.max(cluster.left - previous.right, previous.left - cluster.right) : 0
    const separated = /\s$/.test(text) || /^\s/.test(cluster.text)
    if (!separated && gap > blankWidth * cluster.height) text += ' '
    text += cluster.text
    previous = cluster
  }
  return text
}

/** Whether the rightmost piece is Hebrew. Then the line is Hebrew, even if it has more Latin letters. */
function beginsHebrew(items: readonly PdfItem[]): boolean {
  const worded = items.filter((item) => /\p{L}/u.test(item.str))
  const first = worded.toSorted((a, b) => xOf(b) - xOf(a))[0]
  return first !== undefined && isMostlyHebrew(first.str)
}

/**
 * Groups letters with their marks. Some fonts draw marks as separate pieces, which precede their base in a reversed
 * line.
 */
function clustersOf(items: readonly PdfItem[]): Cluster[] {
  const bases = items.filter((item) => !marksOnly.test(item.str))
  const rising = bases.reduce((sum, item, i) => sum + Math.sign(xOf(item) - xOf(bases[i - 1] ?? item)), 0) > 0
  const clusters: Cluster[] = []
  let waiting = ''
  for (const item of items) {
    const { str, width, height } = item
    const isMark = marksOnly.test(str)
    const before = clusters.at(-1)
    if (isMark && before && !rising) before.text += str.trim()
    else if (isMark) waiting += str.trim()
    else {
      const left = xOf(item)
      clusters.push({ text: attach(str, waiting), left, right: left + width, height: Math.max(height, 1) })
      waiting = ''
    }
  }
  const last = clusters.at(-1)
  if (last) last.text += waiting
  else if (waiting !== '') clusters.push({ text: waiting, left: 0, right: 0, height: 1 })
  return clusters
}

/** Attaches marks drawn before a piece to its first letter as drawn, which is its last letter in reading order. */
function attach(text: string, marks: string): string {
  return marks === '' ? text : text.replace(/\s*$/, (blanks) => marks + blanks)
}

/**
 * Sorts clusters by position, then reverses the runs of the other direction: numbers and Latin words in a Hebrew
 * line.
 */
function inReadingOrder(clusters: readonly Cluster[], isHebrew: boolean): Cluster[] {
  const sorted = clusters.toSorted((a, b) => a.left + a.right - b.left - b.right)
  if (isHebrew) sorted.reverse()
  const ordered: Cluster[] = []
  let run: Cluster[] = []
  const endRun = (): void => {
    if (run.length > 0) ordered.push(merged(run.reverse()))
    run = []
  }
  for (const cluster of sorted) {
    if (isForeign(cluster.text, isHebrew)) run.push(cluster)
    else {
      endRun()
      ordered.push(isHebrew ? { ...cluster, text: mirrored(cluster.text) } : cluster)
    }
  }
  endRun()
  return ordered
}

/** Merges a run into one piece. Neighbours in the line are next to its ends, whatever its direction. */
function merged(run: readonly Cluster[]): Cluster {
  return {
    text: joined(run),
    left: Math.min(...run.map(({ left }) => left)),
    right: Math.max(...run.map(({ right }) => right)),
    height: Math.max(...run.map(({ height }) => height)),
  }
}

function isForeign(text: string, isHebrew: boolean): boolean {
  const own = isHebrew ? rightToLeft : leftToRight
  const other = isHebrew ? /[A-Za-z0-9\u00c0-\u058f]/u : rightToLeft
  return text.search(own) < 0 && text.search(other) >= 0
}

const mirrors: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
}

/** Mirrors single brackets. PDF.js reports them as drawn, which is reversed in a Hebrew line. */
function mirrored(text: string): string {
  return /^[\s()[\]{}.,:;]+$/.test(text)
    ? [...text]
        .reverse()
        .map((c) => mirrors[c] ?? c)
        .join('')
    : text
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}

const xOf = (item: PdfItem): number => item.transform[4] ?? 0
const yOf = (item: PdfItem): number => item.transform[5] ?? 0
