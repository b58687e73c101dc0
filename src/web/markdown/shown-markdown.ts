import { raw } from 'hono/html'
import { ServiceError } from '../../errors.ts'
import { type Job, runJob } from '../../threads.ts'
import { type Html, html } from '../components/html.ts'
import type { AnswerMarks } from './answer-marks.ts'
import { type BlockEnv, renderBlocks, renderMarkdown } from './markdown.ts'
import type { MarkdownInput } from './markdown-job.ts'

/** Maximum characters to render in the event loop: at most about 20 ms, whatever the text is. */
const maxHere = 4_000

/** Maximum characters to render at all, in a worker thread. The markup is up to 20 times as long. */
export const maxCharacters = 50_000

const rendering: Job = { file: new URL('./markdown-job.ts', import.meta.url), lane: 'short', maxMs: 3_000 }

/**
 * Renders Markdown as safe markup for a page. A text that is too long, or takes too long, is shown as source
 * text.
 */
export async function showMarkdown(text: string, marks: AnswerMarks = {}): Promise<Html> {
  if (text.length <= maxHere) return renderMarkdown(text, marks)
  if (text.length > maxCharacters) return asWritten(text)
  try {
    return raw(await runJob<MarkdownInput, string>(rendering, { text, marks }))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'overloaded') return asWritten(text)
    throw error
  }
}

/** Renders the blocks of a text, in a worker thread if it is long. Undefined if no thread is free in time. */
export async function showBlocks(
  text: string,
  env: BlockEnv,
): Promise<ReturnType<typeof renderBlocks> | undefined> {
  if (text.length <= maxHere) return renderBlocks(text, env)
  try {
    return await runJob<MarkdownInput, ReturnType<typeof renderBlocks>>(rendering, { text, blocks: env })
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'overloaded') return undefined
    throw error
  }
}

export function asWritten(text: string): Html {
  return html`<div class="preview-text" dir="auto">${text}</div>`
}
