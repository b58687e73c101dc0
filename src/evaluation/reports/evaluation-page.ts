import { type Html, html, nothing } from '../../web/components/html.ts'
import { directionOf, languageName } from '../../web/components/texts.ts'
import type { Evaluation } from '../scores/evaluation.ts'
import type { ScoredQuestion } from '../scores/scored-question.ts'
import { hasTurn } from '../scores/totals.ts'
import { answerView, footOf, sourcesView } from './answer-view.ts'
import { filters, pageOf, totalsTable } from './page.ts'
import { isWanting, promptText } from './tables.ts'

/** The page of an evaluation: totals, then each question with its answer beside its sources. */
export async function evaluationPage(evaluation: Evaluation): Promise<string> {
  const { file, model, account, started_at: started, passages, totals, questions } = evaluation
  const languages = Object.entries(evaluation.by_language)
  const columns = [
    ['all', totals] as const,
    ...languages.filter(() => languages.length > 1).map(([code, of]) => [languageName(code), of] as const),
  ]
  const views = []
  for (const question of questions) views.push(await questionView(question))
  return pageOf(
    `Evaluation: ${model}`,
    html`<h1>Evaluation of ${model}</h1>
<p class="soft"><span dir="auto">${file}</span> · ${started.slice(0, 16).replace('T', ' ')} UTC ·
${passages.toLocaleString('en')} passages in the library · charged to ${account}${promptText(evaluation)} · ${evaluation.id}</p>
${totalsTable(columns)}
<h2>Questions</h2>
${filters([
  ['wanting', 'failed, wrong or partly right'],
  ['refuse', 'to be refused'],
  ['asked', 'asked'],
  ...(languages.length > 1
    ? (['en', 'he'] as const)
        .filter((code) => code in evaluation.by_language)
        .map((code) => [code, languageName(code)] as const)
    : []),
])}
${views}`,
  )
}

async function questionView(question: ScoredQuestion): Promise<Html> {
  const classes = [
    'question',
    `is-${/^[a-z]{2,3}$/.test(question.language) ? question.language : 'other'}`,
    isWanting(question) ? 'is-wanting' : '',
    question.must_refuse ? 'is-refuse' : '',
    hasTurn(question) ? 'is-asked' : '',
  ]
  const sides = hasTurn(question)
    ? html`<div class="sides"><section class="side"><h4>Answer</h4>${await answerView(question, '')}</section>
<section class="side"><h4>Sources</h4>${sourcesView(question, '')}</section></div>`
    : nothing
  return html`<article class="${classes.filter(Boolean).join(' ')}" id="${question.id}">
<header>${badges(question)}<span class="soft">${question.id}</span></header>
<p class="asked" lang="${question.language}" dir="${directionOf(question.language)}">${question.question}</p>
${expectations(question)}
${sides}
${footOf(question)}</article>
`
}

const outcomes = {
  answered: 'answered',
  refused: 'refused',
  failed: 'failed',
  not_applicable: 'not applicable: work not held',
  not_asked: 'not asked',
} as const

/** Verdict and outcome of a question. */
export function badges({ verdict, outcome }: ScoredQuestion): Html {
  const judged =
    verdict === null || verdict === 'open' ? nothing : html`<span class="badge ${verdict}">${verdict}</span>`
  return html`${judged} <span class="badge ${outcome === 'failed' ? 'failed' : ''}">${outcomes[outcome]}</span>`
}

/** What the question expects, and what of it the answer cites. */
export function expectations(question: ScoredQuestion): Html {
  const wanted = question.must_refuse ? html`<p class="why">Expected: a refusal.</p>` : nothing
  const refs = question.expected.map(({ ref, found }) => {
    const [kind, label] = found ? ['found', 'cited'] : lackOf(question)
    return html`<li><span class="badge ${kind}">${label}</span> <bdi>${ref}</bdi></li>`
  })
  const forbidden = question.forbidden.map((ref) => {
    const isCited = question.forbidden_cited.includes(ref)
    return html`<li><span class="badge ${isCited ? 'wrong' : ''}">${isCited ? 'forbidden, but cited' : 'forbidden'}</span> <bdi>${ref}</bdi></li>`
  })
  const missing =
    question.missing.length === 0
      ? nothing
      : html`<p class="why soft">The library lacks: <bdi>${question.missing.join(' · ')}</bdi></p>`
  const list =
    refs.length + forbidden.length === 0 ? nothing : html`<ul class="refs">${refs}${forbidden}</ul>`
  return html`${wanted}${list}${missing}`
}

/** How an expected ref that the answer does not cite is shown. */
function lackOf(question: ScoredQuestion): readonly [kind: string, label: string] {
  if (!hasTurn(question)) return ['', 'expected']
  return question.recall === 1 ? ['', 'or'] : ['lacking', 'not cited']
}
