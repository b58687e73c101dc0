import { raw } from 'hono/html'
import { ServiceError } from '../../errors.ts'
import { type Job, runJob } from '../../threads.ts'
import { type Html, html } from '../components/html.ts'
import { type CitationLinks, renderMarkdown } from './markdown.ts'
import type { MarkdownInput } from './markdown-job.ts'

/** Characters that are rendered at once: at most some 20 ms, whatever they are. */
const maxHere = 4_000

/** Characters that are rendered at all, in a thread. Their markup is up to 20 times as long. */
const maxCharacters = 50_000

const rendering: Job = { file: new URL('./markdown-job.ts', import.meta.url), lane: 'short', maxMs: 3_000 }

/**
 * Markdown as safe markup, for a page. A text that is too long, or that takes too long, is shown as it was written.
 */
export async function showMarkdown(text: string, citations: CitationLinks = new Map()): Promise<Html> {
  if (text.length <= maxHere) return renderMarkdown(text, citations)
  if (text.length > maxCharacters) return asWritten(text)
  try {
    return raw(await runJob<MarkdownInput, string>(rendering, { text, citations }))
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'overloaded') return asWritten(text)
    throw error
  }
}

function asWritten(text: string): Html {
  return html`<div class="preview-text" dir="auto">${text}</div>`
}
