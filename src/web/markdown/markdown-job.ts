import { inThread } from '../../threads.ts'
import type { AnswerMarks } from './answer-marks.ts'
import { type BlockEnv, renderBlocks, renderMarkdown } from './markdown.ts'

/** A text, and what it gets besides its Markdown; with `blocks`, the markup of each block. */
export type MarkdownInput =
  | { readonly text: string; readonly marks: AnswerMarks }
  | { readonly text: string; readonly blocks: BlockEnv }

/** The job of `shown-markdown`. */
export const job = inThread(async (input: MarkdownInput) =>
  'blocks' in input
    ? renderBlocks(input.text, input.blocks)
    : String(renderMarkdown(input.text, input.marks)),
)
