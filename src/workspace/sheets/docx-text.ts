import {
  AlignmentType,
  ExternalHyperlink,
  type IParagraphOptions,
  type IRunOptions,
  Paragraph,
  type ParagraphChild,
  TextRun,
} from 'docx'
import { scriptRuns } from './script-runs.ts'
import { type Direction, directionOf, hasCantillation } from './sheet.ts'

export const colours = {
  ink: '1D1B18',
  accent: '7A2E1D',
  grey: '6D675E',
  rule: 'D9D2C5',
  note: 'F6F1E7',
} as const

/** Font sizes in half points: Latin, and Hebrew, which looks smaller. */
export const sizes = { text: [22, 25], small: [17, 18], heading: [27, 30], title: [42, 46] } as const

export type TextSize = keyof typeof sizes

export const mainFont = 'Frank Ruhl Libre'
export const cantillatedFont = 'Noto Serif Hebrew'
const codeFont = 'Courier New'

export type RunStyle = {
  readonly size?: TextSize
  readonly color?: string
  readonly bold?: boolean
  readonly italic?: boolean
  /** Set in a typewriter font. */
  readonly code?: boolean
}

type ParagraphStyle = Omit<IParagraphOptions, 'children' | 'text'>

/**
 * Splits text into runs by script. Hebrew runs set each format twice, because Word stores formats of "complex
 * scripts" separately.
 */
export function runs(text: string, direction: Direction, style: RunStyle = {}): readonly TextRun[] {
  return scriptRuns(text, direction).map((run) => new TextRun({ text: run.text, ...formatOf(run, style) }))
}

function formatOf(
  run: { readonly text: string; readonly direction: Direction },
  { size = 'text', color, bold = false, italic = false, code = false }: RunStyle,
): IRunOptions {
  const [latin, hebrew] = sizes[size]
  const cs = hasCantillation(run.text) ? cantillatedFont : mainFont
  return {
    font: code
      ? { ascii: codeFont, hAnsi: codeFont, cs: codeFont, eastAsia: codeFont }
      : { ascii: mainFont, hAnsi: mainFont, cs, eastAsia: mainFont },
    size: latin,
    sizeComplexScript: hebrew,
    rightToLeft: run.direction === 'rtl',
    language: { value: 'en-US', bidirectional: 'he-IL' },
    ...(bold && { bold, boldComplexScript: bold }),
    ...(italic && { italics: italic, italicsComplexScript: italic }),
    ...(color && { color }),
  }
}

/** A paragraph with its own direction. `START` and `BOTH` are relative to it. */
export function paragraph(
  children: readonly ParagraphChild[],
  direction: Direction,
  style: ParagraphStyle = {},
): Paragraph {
  return new Paragraph({
    alignment: AlignmentType.START,
    ...style,
    bidirectional: direction === 'rtl',
    children,
  })
}

/** A paragraph of one text. Default direction: that of its first letter. */
export function textParagraph(
  text: string,
  format: RunStyle & { readonly direction?: Direction } = {},
  style: ParagraphStyle = {},
): Paragraph {
  const direction = format.direction ?? directionOf(text)
  return paragraph([...runs(text, direction, format)], direction, style)
}

export function link(url: string, style: RunStyle): ExternalHyperlink {
  const shown = url.replace(/^https?:\/\/(www\.)?/, '').replace(/\/$/, '')
  return new ExternalHyperlink({ link: url, children: [...runs(shown, 'ltr', style)] })
}
