import type { FeedbackEntry } from '../../../turns/sessions/feedback.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import { formatDateTime } from '../../components/times.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { operatorPage } from '../operator/operator-page.ts'

/** Feedback of readers, newest first. */
export function feedbackPage(
  t: Texts,
  page: {
    readonly entries: readonly FeedbackEntry[]
    readonly offset: number
    readonly next: number | undefined
  },
): Page {
  const { entries, offset, next } = page
  return operatorPage(t, {
    title: 'Feedback',
    path: '/operator/feedback',
    main: html`<h2>Feedback</h2>
<p>What readers think of answers. The file has one question per line, in the form that
<code>npm run -s service -- eval</code> reads. <a href="/operator/feedback.jsonl" download>Download the file</a></p>
${entries.length === 0 ? noEntries : html`<ul class="feedback-list">${entries.map(entryItem)}</ul>`}
${pager(
  offset > 0 && { label: 'Newest', href: '/operator/feedback' },
  next !== undefined && { label: 'Older', href: `/operator/feedback?offset=${next}` },
)}`,
  })
}

const noEntries = emptyState(
  'No feedback yet',
  'Below each answer, readers can say whether it is good or bad.',
)

function entryItem({ rating, question, note, refs, model, createdAt, runId }: FeedbackEntry): Html {
  return html`<li class="card"><p><span class="badge ${rating === 'up' ? 'completed' : 'failed'}">${
    rating === 'up' ? 'good' : 'bad'
  }</span> <b dir="auto">${question}</b></p>
${note === '' ? nothing : html`<blockquote dir="auto">${note}</blockquote>`}
${
  refs.length === 0
    ? nothing
    : html`<p class="faint">Sources: ${refs.map(
        (ref, at) =>
          html`${at > 0 ? ', ' : nothing}<a class="ref" href="${readHref(ref)}" dir="auto">${ref}</a>`,
      )}</p>`
}
<p class="faint">${formatDateTime(createdAt)} · ${model} · <code>${runId}</code></p></li>`
}
