import { inThread } from '../../threads.ts'
import { renderMarkdown } from './markdown.ts'

/** A text, and the URL of each citation number in it. */
export type MarkdownInput = { readonly text: string; readonly citations: ReadonlyMap<number, string> }

/** The job of `shown-markdown`. */
export const job = inThread(async ({ text, citations }: MarkdownInput) =>
  String(renderMarkdown(text, citations)),
)
