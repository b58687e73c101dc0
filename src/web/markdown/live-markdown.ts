import type { CitationMark } from './answer-marks.ts'
import type { Carried } from './markdown.ts'
import { asWritten, maxCharacters, showBlocks } from './shown-markdown.ts'

/**
 * Renders an answer while it grows, block by block. The blocks of a finished answer are what `showMarkdown` gives for
 * it, so nothing on the page moves at the end. A block that a later one follows never changes: only the newest blocks
 * are rendered again.
 */
export class LiveMarkdown {
  /** The beginning of the text whose blocks are final. */
  #settledText = ''
  #settled: readonly string[] = []
  #carried: Carried = {}

  /**
   * The markup of each block of the top level, one element each.
   * @param text the whole text so far. It may begin differently from the earlier one: then all is rendered again.
   * @param citations by citation number.
   * @returns undefined when the machine is too busy to render now.
   */
  async render(
    text: string,
    citations: ReadonlyMap<number, CitationMark>,
  ): Promise<readonly string[] | undefined> {
    if (!text.startsWith(this.#settledText)) this.#reset()
    const open = await this.#settle(text.slice(this.#settledText.length), citations)
    if (open.length > maxCharacters) return [...this.#settled, String(asWritten(open))]
    const newest = await showBlocks(open, { citations, ...this.#carried })
    return newest && [...this.#settled, ...newest.blocks.map(({ markup }) => markup)]
  }

  #reset(): void {
    this.#settledText = ''
    this.#settled = []
    this.#carried = {}
  }

  /**
   * Keeps the blocks before the last one. Only whole lines count: `#` at the end of a text begins a heading, but `#x`
   * continues the paragraph above it.
   * @returns the text whose blocks can still change.
   */
  async #settle(text: string, citations: ReadonlyMap<number, CitationMark>): Promise<string> {
    const lines = text.slice(0, text.lastIndexOf('\n') + 1)
    if (lines.length > maxCharacters) return text
    const read = await showBlocks(lines, { citations, ...this.#carried })
    const last = read?.blocks.at(-1)
    if (!read || !last || read.blocks.length === 1) return text
    const at = offsetOfLine(text, last.firstLine)
    const settled = await showBlocks(text.slice(0, at), { citations, ...this.#carried })
    if (!settled) return text
    this.#settledText += text.slice(0, at)
    this.#settled = [...this.#settled, ...settled.blocks.map(({ markup }) => markup)]
    this.#carried = settled.carried
    return text.slice(at)
  }
}

/** Offset of a line, counted as Markdown does. */
function offsetOfLine(text: string, line: number): number {
  const breaks = /\r\n|\n|\r/g
  for (let passed = 0; passed < line; passed += 1) if (!breaks.exec(text)) return text.length
  return line === 0 ? 0 : breaks.lastIndex
}
