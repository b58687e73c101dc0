import { type Html, html } from '../../web/components/html.ts'
import { directionOf } from '../../web/components/texts.ts'
import type { ComparedQuestion, Comparison } from '../scores/compare.ts'
import type { ScoredQuestion } from '../scores/scored-question.ts'
import { answerView, footOf, sourcesView } from './answer-view.ts'
import { badges, expectations } from './evaluation-page.ts'
import { filters, pageOf, totalsTable } from './page.ts'
import { differenceText, promptText } from './tables.ts'

const order = { worse: 0, better: 1, same: 2 } as const

/** The page of a comparison: totals with differences, then the answers of both to each question, the worse ones first. */
export async function comparisonPage(comparison: Comparison): Promise<string> {
  const { a, b, better, worse, same } = comparison
  const views = []
  for (const question of comparison.questions.toSorted((x, y) => order[x.change] - order[y.change]))
    views.push(await comparedView(question))
  const side = (name: string, { model, prompt, file, started_at: started, passages }: Comparison['a']) =>
    html`<p class="soft">${name}: ${model}${promptText({ prompt })} · <span dir="auto">${file}</span> · ${started.slice(0, 16).replace('T', ' ')} UTC ·
${passages.toLocaleString('en')} passages</p>`
  return pageOf(
    `Comparison: ${a.model}, ${b.model}`,
    html`<h1>Comparison of two evaluations</h1>
${side('A', a)}${side('B', b)}
<p>${comparison.questions.length} questions in both: <span class="badge better">${better} better</span>
<span class="badge worse">${worse} worse</span> <span class="badge">${same} the same</span> in B.
Only in A: ${comparison.only_a.length}. Only in B: ${comparison.only_b.length}.</p>
${totalsTable(
  [
    ['A', a.totals],
    ['B', b.totals],
  ],
  { name: 'B − A', cell: (row) => differenceText(row, a.totals, b.totals) },
)}
<h2>Questions</h2>
${filters([
  ['worse', 'worse in B'],
  ['better', 'better in B'],
])}
${views}`,
  )
}

async function comparedView({ id, change, why, a, b }: ComparedQuestion): Promise<Html> {
  return html`<article class="question is-${change}" id="${id}">
<header><span class="badge ${change}">${change}</span> <span class="soft">${id}</span></header>
<p class="asked" lang="${b.language}" dir="${directionOf(b.language)}">${b.question}</p>
${why.map((reason) => html`<p class="why">${reason}</p>`)}
<div class="sides">${await sideView('A', a)}${await sideView('B', b)}</div></article>
`
}

async function sideView(name: string, question: ScoredQuestion): Promise<Html> {
  return html`<section class="side"><h4>${name} ${badges(question)}</h4>${expectations(question)}
${await answerView(question, `${name}-`)}
<h4>Sources</h4>${sourcesView(question, `${name}-`)}${footOf(question)}</section>`
}
