import { creditsText } from '../../../billing/credits.ts'
import type { ConversationTurn, TurnStep } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunUsage } from '../../../turns/run/run-events.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Fact, factList } from '../../components/fact-list.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { emptyState, notice, type Page } from '../../components/page.ts'
import { counted } from '../../components/texts.ts'
import { formatDateTime, formatDuration } from '../../components/times.ts'
import { failureText } from '../ask/outcome-views.ts'
import { tookOf } from '../ask/turn-views.ts'

const states: Readonly<Record<Run['status'], string>> = {
  queued: 'queued',
  in_progress: 'in progress',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'stopped',
}

/** One run: its question, its steps, and its cost. */
export function runPage({ run, question, steps, end }: ConversationTurn): Page {
  const noStep = end ? 'The run ended before its first step ended.' : 'Reload the page in a moment.'
  return {
    title: 'Run',
    section: 'projects',
    sheets: ['files', 'ref-preview'],
    scripts: ['ref-preview.js'],
    main: html`<p class="crumb"><a href="/sessions/${run.sessionId}">Conversation</a></p>
<h1>Run</h1>
<p class="faint"><code>${run.id}</code></p>
<blockquote class="asked" dir="auto">${question}</blockquote>
${run.status === 'failed' ? notice('problem', failureText(run)) : nothing}
${end ? nothing : stopForm(run)}
${factList(factsOf(run))}
${(run.usage as Partial<RunUsage>).estimated ? estimateNote : nothing}
<h2>Steps</h2>
${steps.length === 0 ? emptyState('No completed steps', noStep) : stepTable(steps)}`,
  }
}

function stopForm(run: Run): Html {
  return html`<form method="post" action="/runs/${run.id}/cancel">
<p>This run is in progress. Reload the page to see its newest steps.
<button class="quiet danger">Stop</button></p></form>`
}

function factsOf(run: Run): readonly (Fact | false)[] {
  const usage = run.usage as Partial<RunUsage>
  return [
    ['Status', html`<span class="badge ${run.status}">${states[run.status]}</span>`],
    ['Asked', formatDateTime(run.createdAt)],
    ['Duration', run.finishedAt ? tookOf(run) : 'in progress'],
    run.errorMessage === '' ? false : ['Technical reason', html`<bdi>${run.errorMessage}</bdi>`],
    ['Cost', `${creditsText(run.costMicros)} credits`],
    ['Input tokens', count(usage.prompt_tokens)],
    ['Output tokens', count(usage.completion_tokens)],
    ['Model', run.model],
    [
      'Asked by',
      run.apiKeyId === null ? 'you, on these pages' : html`<a href="/settings/keys">an API key</a>`,
    ],
  ]
}

const estimateNote = html`<p class="faint">Token counts are estimated: the model’s server did not report them,
or a call did not finish.</p>`

const numbers = new Intl.NumberFormat('en')

function count(tokens: number | undefined): string {
  return numbers.format(tokens ?? 0)
}

function stepTable(steps: readonly TurnStep[]): Html {
  const ofModel = (step: TurnStep, tokens: number) => (step.kind === 'model' ? count(tokens) : '')
  return dataTable({
    label: 'Steps',
    rows: steps,
    columns: [
      { name: 'No.', kind: 'number', cell: ({ step }) => step },
      { name: 'Step', kind: 'title', cell: stepTitle },
      { name: 'Duration', kind: 'number', cell: ({ tookMs }) => formatDuration(tookMs) },
      { name: 'Input tokens', kind: 'number', cell: (step) => ofModel(step, step.promptTokens) },
      { name: 'Output tokens', kind: 'number', cell: (step) => ofModel(step, step.completionTokens) },
      { name: 'Credits', kind: 'number', cell: ({ costMicros }) => creditsText(costMicros) },
    ],
  })
}

function stepTitle({ title, failed, refs }: TurnStep): Html {
  const badge = failed ? html` <span class="badge failed">no result</span>` : nothing
  return html`<span dir="auto">${title}</span>${badge}${refList(refs)}`
}

function refList(refs: readonly string[]): Html {
  if (refs.length === 0) return nothing
  return html`<details class="refs"><summary class="faint">${counted(refs.length, 'passage')}</summary>
<ul>${refs.map((ref) => html`<li><a href="${readHref(ref)}" dir="auto">${ref}</a></li>`)}</ul></details>`
}
