/** A piece of text as PDF.js reports it, in the order in which the page draws it. */
export type PdfItem = {
  readonly str: string
  /** Its sixfold matrix: the last two numbers are where it begins, from the left and from below. */
  readonly transform: readonly number[]
  readonly width: number
  readonly height: number
}

export type PdfLine = {
  readonly text: string
  /** Position from below and size of the letters, by which paragraphs are told. */
  readonly y: number
  readonly height: number
}

/** A base with the marks (points, accents) that belong to it. */
type Cluster = { text: string; readonly left: number; readonly right: number; readonly height: number }

/** Shares of the letters' height: a drawing that moves further up or down is on another line. */
const lineTolerance = 0.5
/** A gap of this width between two pieces is a blank. */
const blankWidth = 0.12

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/gu
const leftToRight = /[A-Za-z\u00c0-\u058f\u0900-\u1fff]/gu
const marksOnly = /^[\p{M}\s]+$/u

/**
 * Puts pieces of text into lines and the pieces of a line into the order of reading. Programs draw lines from the left
 * as often as in the order of reading, which for Hebrew is the reverse; where pieces stand is what can be relied on.
 * (PDF.js has the letters of each piece in the order of reading already.)
 */
export function linesOf(items: readonly PdfItem[]): readonly PdfLine[] {
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
  // A blank before a mark is one of drawing, not of writing.
  return { text: text.replace(/\s+(?=\p{M})/gu, '').trim(), y: first ? yOf(first) : 0, height }
}

/** With a blank wherever there is a gap. */
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

/** Whether the piece furthest to the right is Hebrew, as it is in a Hebrew line that has more of Latin letters. */
function beginsHebrew(items: readonly PdfItem[]): boolean {
  const worded = items.filter((item) => /\p{L}/u.test(item.str))
  const first = worded.toSorted((a, b) => xOf(b) - xOf(a))[0]
  return first !== undefined && isMostlyHebrew(first.str)
}

/** Marks are pieces of their own where fonts place them: they come before their base when a line is drawn reversed. */
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

/** Marks that were drawn before a piece belong to its first letter as it is drawn, the last one as it is read. */
function attach(text: string, marks: string): string {
  return marks === '' ? text : text.replace(/\s*$/, (blanks) => marks + blanks)
}

/** Sorts by place, then turns around the runs that are read the other way: numbers and Latin words in a Hebrew line. */
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

/** A run as one piece: its neighbours in the line are beside its ends, whichever way it is read. */
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

/** Brackets that stand alone are reported as they look, which in a Hebrew line is the other way around. */
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
