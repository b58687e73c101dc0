import type { ConversationTurn, TurnStep } from '../../../turns/read/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import { type RunEnd, replyOf } from '../../../turns/run/run-events.ts'
import { dataTable, type Fact, factList } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, notice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { failureText } from '../ask/outcome-views.ts'
import { tookOf } from '../ask/turn-views.ts'
import { type RefNames, refLink, stepTitle } from '../ref-names.ts'
import { creditsIn } from '../wording.ts'

/**
 * One run: its question, its steps, and its cost.
 * @param more.why the lines of `explainRun`, in English.
 * @param more.asker the address of another member that asked.
 */
export function runPage(
  t: Texts,
  { run, question, steps, end }: ConversationTurn,
  names: RefNames,
  { why, asker }: { readonly why: readonly string[]; readonly asker?: string | undefined },
): Page {
  const noStep = end ? t.runs.endedBefore : t.runs.reload
  return {
    title: t.runs.title,
    section: 'projects',
    sheets: ['files', 'ref-preview'],
    scripts: ['ref-preview.js'],
    main: html`<p class="crumb"><a href="/sessions/${run.sessionId}">${t.runs.conversation}</a></p>
<h1>${t.runs.title}</h1>
<p class="faint"><code>${run.id}</code></p>
<blockquote class="asked" dir="auto">${question}</blockquote>
${run.status === 'failed' ? notice('problem', failureText(t, run)) : nothing}
${end ? nothing : stopForm(t, run)}
${factList(factsOf(t, run, end, asker))}
${end?.usage.estimated ? html`<p class="faint">${t.runs.estimated}</p>` : nothing}
<h2>${t.runs.steps}</h2>
${steps.length === 0 ? emptyState(t.runs.none, noStep) : stepTable(t, steps, names)}
<details id="why"><summary>${t.runs.why}</summary>
<ol lang="en" dir="ltr">${why.map((line) => html`<li>${line}</li>`)}</ol></details>`,
  }
}

function stopForm(t: Texts, run: Run): Html {
  return html`<form method="post" action="/runs/${run.id}/cancel">
<p>${t.runs.running}
<button class="quiet danger">${t.common.stop}</button></p></form>`
}

function factsOf(
  t: Texts,
  run: Run,
  end: RunEnd | undefined,
  asker: string | undefined,
): readonly (Fact | false)[] {
  const person = asker === undefined ? t.runs.you : html`<bdi dir="ltr">${asker}</bdi>`
  const usage = end?.usage
  const reply = replyOf(run)
  return [
    [t.common.status, html`<span class="badge ${run.status}">${t.runs.states[run.status]}</span>`],
    [t.runs.asked, t.minute(run.createdAt)],
    [t.runs.duration, run.finishedAt ? tookOf(t, run) : t.runs.states.in_progress],
    reply?.type === 'run.failed' && [t.runs.reason, html`<bdi>${reply.message}</bdi>`],
    [t.runs.cost, t.common.credits(creditsIn(t, run.costMicros))],
    [t.runs.inputTokens, count(t, usage?.prompt_tokens)],
    [t.runs.outputTokens, count(t, usage?.completion_tokens)],
    [t.common.model, run.model],
    [t.runs.askedBy, run.apiKeyId === null ? person : html`<a href="/settings/keys">${t.runs.key}</a>`],
  ]
}

function count({ number }: Texts, tokens: number | undefined): string {
  return number(tokens ?? 0)
}

function stepTable(t: Texts, steps: readonly TurnStep[], names: RefNames): Html {
  const ofModel = (step: TurnStep, tokens: number) => (step.kind === 'model' ? count(t, tokens) : '')
  return dataTable({
    label: t.runs.steps,
    rows: steps,
    columns: [
      { name: t.runs.number, kind: 'number', cell: ({ step }) => step },
      { name: t.runs.step, kind: 'title', cell: (step) => titleCell(t, step, names) },
      { name: t.runs.duration, kind: 'number', cell: ({ tookMs }) => t.duration(tookMs) },
      { name: t.runs.inputTokens, kind: 'number', cell: (step) => ofModel(step, step.promptTokens) },
      { name: t.runs.outputTokens, kind: 'number', cell: (step) => ofModel(step, step.completionTokens) },
      { name: t.usage.credits, kind: 'number', cell: ({ costMicros }) => creditsIn(t, costMicros) },
    ],
  })
}

function titleCell(t: Texts, step: TurnStep, names: RefNames): Html {
  const { failed, refs, upstream } = step
  const badge = failed ? html` <span class="badge failed">${t.answers.noResult}</span>` : nothing
  const server = upstream ? serverNote(t, upstream) : nothing
  const title = stepTitle(t, step, names)
  return html`<span dir="auto">${title}</span>${badge}${server}${refList(t, refs, names, title)}`
}

/** Which server of the model answered, and why earlier ones did not. */
function serverNote(t: Texts, { name, passed }: NonNullable<TurnStep['upstream']>): Html {
  const others = passed.map((one) => t.runs.passed[one.reason](one.name))
  return html`<p class="faint">${[t.runs.server(name), ...others].join(' ')}</p>`
}

/** @param step tells screen readers which of the lists it is. */
function refList(t: Texts, refs: readonly string[], names: RefNames, step: string): Html {
  if (refs.length === 0) return nothing
  return html`<details class="refs"><summary class="faint">${t.common.passages(refs.length)}<span class="sr">:
<bdi>${step}</bdi></span></summary>
<ul>${refs.map((ref) => html`<li>${refLink(ref, names)}</li>`)}</ul></details>`
}
