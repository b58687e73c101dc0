import { creditsText } from '../../../billing/credits.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { counted } from '../../components/texts.ts'
import { tokensOf } from './usage-columns.ts'
import type { NamedRow, UsageShown } from './usage-shown.ts'

/** Groups of one kind in a table; the CSV file has all. */
const maxGroups = 20

/** What credits were spent on: a table by model, by key and by project, those that cost most first. */
export function breakdown({ models, keys, projects }: UsageShown): Html {
  return html`<div class="breakdown">
${groupTable('Model', models, ({ group }) => html`<code>${group || 'unknown'}</code>`)}
${groupTable('Key', keys, keyName)}
${groupTable('Project', projects, projectName)}</div>`
}

function keyName({ group, name }: NamedRow): Html {
  return group === '' ? html`These pages` : html`<bdi>${name ?? group}</bdi>`
}

function projectName({ group, name }: NamedRow): Html {
  return name === undefined
    ? html`<span class="faint">deleted</span> <code>${group}</code>`
    : html`<a href="/projects/${group}" dir="auto">${name}</a>`
}

function groupTable(kind: string, rows: readonly NamedRow[], name: (row: NamedRow) => Html): Html {
  const rest = rows.length - maxGroups
  const title = `By ${kind.toLowerCase()}`
  const table = dataTable({
    label: title,
    rows: rows.slice(0, maxGroups),
    columns: [
      { name: kind, kind: 'title', cell: name },
      { name: 'Turns', kind: 'number', cell: ({ turns }) => turns.toLocaleString('en') },
      { name: 'Tokens', kind: 'number', cell: (row) => tokensOf(row).toLocaleString('en') },
      { name: 'Credits', kind: 'number', cell: ({ costMicros }) => creditsText(costMicros) },
    ],
  })
  return html`<section><h3>${title}</h3>${table}
${rest > 0 ? html`<p class="faint">${counted(rest, 'more', 'more')} in the CSV file.</p>` : nothing}</section>`
}
