import { raw } from 'hono/html'
import { ServiceError } from '../../errors.ts'
import { type Job, runJob } from '../../threads.ts'
import { type Html, html } from '../components/html.ts'
import type { AnswerMarks } from './answer-marks.ts'
import { type BlockEnv, type Carried, renderBlocks, renderMarkdown } from './markdown.ts'
import type { MarkdownInput } from './markdown-job.ts'

/** Maximum characters to render in the event loop: at most about 20 ms, whatever the text is. */
const maxHere = 4_000

/** Maximum characters to render at once, in a worker thread. The markup is up to 20 times as long. */
export const maxCharacters = 50_000

const rendering: Job = { file: new URL('./markdown-job.ts', import.meta.url), lane: 'short', maxMs: 3_000 }

/**
 * Renders Markdown as safe markup for a page, a very long text in parts. A part that takes too long is shown as source
 * text.
 */
export async function showMarkdown(text: string, marks: AnswerMarks = {}): Promise<Html> {
  if (text.length <= maxHere) return renderMarkdown(text, marks)
  if (text.length > maxCharacters) return showParts(text, marks)
  try {
    return raw(await runJob<MarkdownInput, string>(rendering, { text, marks }))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'overloaded') return asWritten(text)
    throw error
  }
}

async function showParts(text: string, marks: AnswerMarks): Promise<Html> {
  const parts: Html[] = []
  let carried: Carried = {}
  for (const part of partsOf(text)) {
    const rendered =
      part.length > maxCharacters ? undefined : await showBlocks(part, { ...marks, ...carried })
    carried = rendered?.carried ?? carried
    parts.push(rendered ? raw(rendered.blocks.map(({ markup }) => markup).join('')) : asWritten(part))
  }
  return html`${parts}`
}

/** Cuts a text at empty lines outside fenced code, into parts of about a third of what is rendered at once. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = []
  let [part, fence] = ['', '']
  for (const line of text.split(/(?<=\n)/)) {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '') fence = mark
    else if (mark.startsWith(fence) && line.trim() === mark) fence = ''
    if (part.length > maxCharacters / 3 && fence === '' && line.trim() === '') {
      parts.push(part)
      part = ''
    } else part += line
  }
  return [...parts, part]
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
