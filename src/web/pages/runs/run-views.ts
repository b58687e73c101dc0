import { creditsText } from '../../../billing/credits.ts'
import type { ConversationTurn, TurnStep } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunUsage } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { emptyState, notice, type Page } from '../../components/page.ts'
import { duration, instant } from '../../components/times.ts'
import { tookOf } from '../ask/turn-views.ts'

const states: Readonly<Record<Run['status'], string>> = {
  queued: 'waiting',
  in_progress: 'going on',
  completed: 'completed',
  failed: 'failed',
  cancelled: 'stopped',
}

/** One run: its question, its steps, and its cost. */
export function runPage({ run, question, steps, end }: ConversationTurn): Page {
  return {
    title: 'Run',
    section: 'projects',
    sheets: ['files'],
    main: html`<p class="crumb"><a href="/sessions/${run.sessionId}">The conversation</a></p>
<h1>Run</h1>
<p class="faint"><code>${run.id}</code></p>
<blockquote class="asked" dir="auto">${question}</blockquote>
${run.status === 'failed' ? notice('problem', run.errorMessage) : nothing}
${end ? nothing : html`<form method="post" action="/runs/${run.id}/cancel"><p>This run has not ended yet: load the page again to see more. <button class="quiet danger">Stop</button></p></form>`}
${factList(run)}
<h2>Steps</h2>
${steps.length === 0 ? emptyState('No step has ended', end ? 'The run ended before its first step did.' : 'Load the page again in a moment.') : stepTable(steps)}`,
  }
}

function factList(run: Run): Html {
  const usage = run.usage as Partial<RunUsage>
  const facts: readonly (readonly [string, unknown])[] = [
    ['State', html`<span class="badge ${run.status}">${states[run.status]}</span>`],
    ['Asked', instant(run.createdAt)],
    ['Took', run.finishedAt ? tookOf(run) : 'not ended'],
    ['Cost', `${creditsText(run.costMicros)} credits`],
    ['Tokens read', count(usage.prompt_tokens)],
    ['Tokens written', count(usage.completion_tokens)],
    ['Model', run.model],
    [
      'Asked by',
      run.apiKeyId === null ? 'you, in these pages' : html`<a href="/settings/keys">an API key</a>`,
    ],
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${usage.estimated ? html`<p class="faint">Token counts are estimated: the model’s server did not tell them, or a call did not come to its end.</p>` : nothing}`
}

const numbers = new Intl.NumberFormat('en')

function count(tokens: number | undefined): string {
  return numbers.format(tokens ?? 0)
}

function stepTable(steps: readonly TurnStep[]): Html {
  return html`<div class="scroll"><table><thead><tr><th class="number">No.</th><th>What was done</th><th class="number">Took</th><th class="number">Tokens read</th><th class="number">written</th><th class="number">Credits</th></tr></thead>
<tbody>${steps.map(stepRow)}</tbody></table></div>`
}

function stepRow(step: TurnStep): Html {
  const isModel = step.kind === 'model'
  return html`<tr><td class="number">${step.step}</td><th scope="row"><span dir="auto">${step.title}</span>${step.failed ? html` <span class="badge failed">nothing came of it</span>` : nothing}${refList(step.refs)}</th>
<td class="number">${duration(step.tookMs)}</td><td class="number">${isModel ? count(step.promptTokens) : ''}</td><td class="number">${isModel ? count(step.completionTokens) : ''}</td><td class="number">${creditsText(step.costMicros)}</td></tr>`
}

function refList(refs: readonly string[]): Html {
  if (refs.length === 0) return nothing
  return html`<details class="refs"><summary class="faint">${refs.length} ${refs.length === 1 ? 'passage' : 'passages'}</summary><ul>${refs.map((ref) => html`<li><a href="${readHref(ref)}" dir="auto">${ref}</a></li>`)}</ul></details>`
}
