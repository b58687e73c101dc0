import type { CheckResult, ModelCheck } from '../../../../models/check/model-check.ts'
import { dataTable, type Fact, factList } from '../../../components/data-table.ts'
import { type Html, html, nothing } from '../../../components/html.ts'
import { notice } from '../../../components/page.ts'
import type { Texts } from '../../../texts/catalogue.ts'

/** The last check of each model, with what mends each failure. */
export function modelChecks(t: Texts, checks: readonly ModelCheck[]): Html {
  const { models } = t.operator
  return html`<h2>${models.title}</h2>
${checks.length === 0 ? html`<p>${models.notChecked}</p>` : checks.map((one) => modelCheck(t, one))}`
}

function modelCheck(t: Texts, found: ModelCheck): Html {
  const { models } = t.operator
  const shown = found.checks.filter(({ status }) => status === 'failed' || status === 'adapted')
  return html`<h3><bdi dir="ltr">${found.model}</bdi></h3>
${notice(found.good_enough ? 'done' : 'problem', found.good_enough ? models.goodEnough : models.notGoodEnough)}
${factList(factsOf(t, found))}
${shown.length === 0 ? nothing : findingTable(t, found.model, shown)}`
}

function factsOf(t: Texts, found: ModelCheck): readonly Fact[] {
  const { models } = t.operator
  const { counts, first_text_ms: first, tokens_per_second: rate } = found
  return [
    [models.checked, t.minute(new Date(found.checked_at))],
    [models.checks, models.counts(counts.ok, counts.adapted, counts.failed, counts.skipped)],
    ...(first === null ? [] : [[models.firstText, models.seconds((first / 1_000).toFixed(1))] as const]),
    ...(rate === null ? [] : [[models.speed, models.tokensPerSecond(t.number(rate))] as const]),
    [models.price, models.cost(found.calls, found.credits)],
  ]
}

function findingTable({ operator: { models } }: Texts, model: string, rows: readonly CheckResult[]): Html {
  return dataTable({
    label: models.table(model),
    rows,
    columns: [
      { name: models.check, kind: 'title', cell: ({ id, title }) => models.titles[id] ?? title },
      {
        name: models.result,
        cell: ({ status, severity }) =>
          status === 'adapted' ? models.adapted : severity === 'needed' ? models.failed : models.failedUseful,
      },
      { name: models.found, className: 'message', cell: (row) => seen(models, row) },
      {
        name: models.remedy,
        className: 'message',
        cell: ({ finding, remedy }) => {
          const wording = finding && models.findings[finding]
          return wording ? html`${withCode(wording.remedy)}.` : html`<bdi dir="ltr">${remedy}</bdi>`
        },
      },
    ],
  })
}

/** A result may be of another version, whose finding has no text here: it has its own English words. */
function seen({ findings }: Texts['operator']['models'], { finding, note, detail }: CheckResult): Html {
  const wording = finding && findings[finding]
  if (!wording) return html`<bdi dir="ltr">${detail}</bdi>`
  const words = note === undefined ? nothing : html`: <bdi dir="auto">${note}</bdi>`
  return html`${withCode(wording.says)}${words}`
}

/** Text whose parts in backticks are settings or commands, which are written from left to right. */
function withCode(text: string): Html {
  return html`${text.split('`').map((part, at) => (at % 2 === 0 ? part : html`<code dir="ltr">${part}</code>`))}`
}
