import type { FeedbackEntry } from '../../../turns/sessions/feedback.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, type Page } from '../../components/page.ts'
import { pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { operatorPage } from '../operator/operator-page.ts'
import { type RefNames, refLinks } from '../ref-names.ts'

/** Feedback of readers, newest first. */
export function feedbackPage(
  t: Texts,
  page: {
    readonly entries: readonly FeedbackEntry[]
    readonly names: RefNames
    readonly offset: number
    readonly next: number | undefined
  },
): Page {
  const { entries, names, offset, next } = page
  const { feedback } = t.operator
  return operatorPage(t, {
    title: t.operator.accounts.tabs.feedback,
    path: '/operator/feedback',
    main: html`<h2>${t.operator.accounts.tabs.feedback}</h2>
<p>${feedback.about} <a href="/operator/feedback.jsonl" download>${feedback.download}</a></p>
${entries.length === 0 ? emptyState(feedback.none, feedback.noneHint) : nothing}
<ul class="plain-list">${entries.map((entry) => entryItem(t, entry, names))}</ul>
${pager(
  offset > 0 && { label: t.common.newest, href: '/operator/feedback' },
  next !== undefined && { label: t.common.older, href: `/operator/feedback?offset=${next}` },
)}`,
  })
}

function entryItem(
  t: Texts,
  { rating, question, note, refs, model, createdAt, runId }: FeedbackEntry,
  names: RefNames,
): Html {
  const { feedback } = t.operator
  return html`<li class="card"><p><span class="badge ${rating === 'up' ? 'completed' : 'failed'}">${
    rating === 'up' ? feedback.good : feedback.bad
  }</span> <b dir="auto">${question}</b></p>
${note === '' ? nothing : html`<blockquote dir="auto">${note}</blockquote>`}
${refs.length === 0 ? nothing : html`<p class="faint">${feedback.sources} ${refLinks(refs, names)}</p>`}
<p class="faint">${t.minute(createdAt)} · ${model} · <code>${runId}</code></p></li>`
}
