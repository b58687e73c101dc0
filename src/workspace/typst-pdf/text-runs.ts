import { utf16 } from './cmap.ts'
import { type Operand, operationsOf, unknownOperator } from './content-tokens.ts'
import type { PdfFont } from './fonts.ts'
import { identity, type Matrix, matrixOf, product } from './matrix.ts'

/** Glyphs that show one text together, such as a letter with its points. */
export type Cluster = { readonly text: string; readonly left: number; readonly right: number }

/** A piece of a line in one direction, its clusters from left to right. */
export type TextRun = {
  readonly clusters: readonly Cluster[]
  readonly isRightToLeft: boolean
  readonly y: number
  readonly height: number
}

/**
 * The text objects of a page in the order in which it draws them; those of points alone have no clusters. Undefined if
 * text would be missing: the contents draw another content stream, or have a token that the reader does not know.
 */
export function textRunsOf(
  content: string,
  fonts: ReadonlyMap<string, PdfFont>,
): readonly TextRun[] | undefined {
  const reader = new RunReader(fonts)
  for (const { operator, operands } of operationsOf(content)) {
    if (operator === 'Do' || operator === unknownOperator) return undefined
    reader.take(operator, operands)
  }
  return reader.runs
}

/** The part of a text object that one `BT … ET` draws. */
type OpenRun = { clusters: Cluster[]; isRightToLeft: boolean; y: number; height: number }

class RunReader {
  readonly runs: TextRun[] = []
  readonly #fonts: ReadonlyMap<string, PdfFont>
  readonly #saved: Matrix[] = []
  #matrix: Matrix = identity
  #textMatrix: Matrix = identity
  #font: PdfFont | undefined
  #size = 0
  #run: OpenRun | undefined
  /** Open marked contents: the text that one states, or undefined. */
  readonly #marked: (string | undefined)[] = []
  /** The cluster whose text a marked content states. */
  #stated: { readonly text: string; left: number; right: number } | undefined

  constructor(fonts: ReadonlyMap<string, PdfFont>) {
    this.#fonts = fonts
  }

  take(operator: string, operands: readonly Operand[]): void {
    switch (operator) {
      case 'q':
        this.#saved.push(this.#matrix)
        break
      case 'Q':
        this.#matrix = this.#saved.pop() ?? identity
        break
      case 'cm':
        this.#matrix = product(matrixOf(operands), this.#matrix)
        break
      case 'BT':
        this.#textMatrix = identity
        this.#run = { clusters: [], isRightToLeft: false, y: 0, height: 0 }
        break
      case 'ET':
        if (this.#run) this.runs.push(this.#run)
        this.#run = undefined
        break
      case 'Tm':
        this.#textMatrix = matrixOf(operands)
        break
      case 'Tf':
        this.#setFont(operands)
        break
      case 'BMC':
      case 'BDC':
        this.#begin(operands)
        break
      case 'EMC':
        this.#end()
        break
      case 'Tj':
      case 'TJ':
        this.#show(operands.flatMap((one) => (one.kind === 'array' ? one.items : [one])))
    }
  }

  #setFont([name, size]: readonly Operand[]): void {
    this.#font = name?.kind === 'name' ? this.#fonts.get(name.text) : undefined
    this.#size = size?.kind === 'number' ? size.value : 0
  }

  /** `ReversedChars` marks what is drawn from left to right and read from right to left. */
  #begin([tag, properties]: readonly Operand[]): void {
    const text = properties?.kind === 'dictionary' ? actualText(properties.text) : undefined
    this.#marked.push(text)
    if (text !== undefined) this.#stated = { text, left: Infinity, right: -Infinity }
    if (this.#run && tag?.kind === 'name' && tag.text === 'ReversedChars') this.#run.isRightToLeft = true
  }

  #end(): void {
    const ended = this.#marked.pop()
    if (ended === undefined || !this.#stated) return
    const { text, left, right } = this.#stated
    this.#stated = undefined
    this.#add({ text, left, right })
  }

  /** Clusters without a width are points of the cluster beside them, whose text has them. */
  #add(cluster: Cluster): void {
    if (!this.#run || cluster.right <= cluster.left) return
    this.#run.clusters.push(cluster)
    if (/[\u0590-\u05ff\ufb1d-\ufb4f]/.test(cluster.text)) this.#run.isRightToLeft = true
  }

  #show(items: readonly Operand[]): void {
    for (const item of items) {
      if (item.kind === 'number') this.#advance((-item.value / 1000) * this.#size)
      else if (item.kind === 'string')
        for (let at = 0; at + 1 < item.text.length; at += 2)
          this.#glyph(item.text.charCodeAt(at) * 256 + item.text.charCodeAt(at + 1))
    }
  }

  #glyph(glyph: number): void {
    const [a, , , d, x, y] = product(this.#textMatrix, this.#matrix)
    const width = ((this.#font?.widths.get(glyph) ?? 0) / 1000) * this.#size
    this.#advance(width)
    if (this.#run && this.#run.height === 0) {
      this.#run.y = y
      this.#run.height = Math.abs(d) * this.#size
    }
    const [left, right] = [x, x + a * width]
    if (!this.#stated) this.#add({ text: this.#font?.texts.get(glyph) ?? '', left, right })
    if (!this.#stated || width === 0) return
    this.#stated.left = Math.min(this.#stated.left, left)
    this.#stated.right = Math.max(this.#stated.right, right)
  }

  #advance(by: number): void {
    this.#textMatrix = product([1, 0, 0, 1, by, 0], this.#textMatrix)
  }
}

function actualText(properties: string): string | undefined {
  const hex = /\/ActualText\s*<(?:FEFF)?([0-9A-F]*)>/.exec(properties)?.[1]
  if (hex !== undefined) return utf16(hex)
  return /\/ActualText\s*\(((?:\\[\s\S]|[^\\)])*)\)/.exec(properties)?.[1]?.replace(/\\([\s\S])/g, '$1')
}
