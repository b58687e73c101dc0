import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { projectName } from '../wording.ts'
import { creditsColumn, tokensOf, turnsColumn } from './usage-columns.ts'
import type { NamedRow, UsageShown } from './usage-shown.ts'

/** Groups of one kind in a table; the CSV file has all. */
const maxGroups = 20

/** What credits were spent on: a table by model, by key, by project and by member, those that cost most first. */
export function breakdown(t: Texts, { models, keys, projects, members, accountId }: UsageShown): Html {
  const { common, usage } = t
  const keyName = ({ group, name }: NamedRow) => (group === '' ? usage.thesePages : (name ?? group))
  return html`<div class="breakdown">
${groupTable(t, 'model', models, ({ group }) => html`<code>${group || common.unknown}</code>`)}
${groupTable(t, 'key', keys, (row) => html`<bdi>${keyName(row)}</bdi>`)}
${groupTable(t, 'project', projects, (row) => projectLink(t, row))}
${isShared(members, accountId) ? groupTable(t, 'member', members, (row) => memberName(t, row)) : nothing}</div>`
}

/** An account that only its own person uses has nothing to tell by member. */
function isShared(members: readonly NamedRow[], accountId: string): boolean {
  return members.some(({ group }) => group !== '' && group !== accountId)
}

function memberName(t: Texts, { group, name }: NamedRow): Html {
  if (group === '') return html`<span class="faint">${t.usage.noMember}</span>`
  return name === undefined
    ? html`<span class="faint">${t.common.deleted}</span> <code>${group}</code>`
    : html`<bdi dir="ltr">${name}</bdi>`
}

function projectLink(t: Texts, { group, name }: NamedRow): Html {
  return name === undefined
    ? html`<span class="faint">${t.common.deleted}</span> <code>${group}</code>`
    : html`<a href="/projects/${group}" dir="auto">${projectName(t, name)}</a>`
}

function groupTable(
  t: Texts,
  kind: 'model' | 'key' | 'project' | 'member',
  rows: readonly NamedRow[],
  name: (row: NamedRow) => Html,
): Html {
  const { title, column } = t.usage.groups[kind]
  const rest = rows.length - maxGroups
  const table = dataTable<NamedRow>({
    label: title,
    rows: rows.slice(0, maxGroups),
    columns: [
      { name: column, kind: 'title', cell: name },
      creditsColumn(t),
      turnsColumn(t),
      { name: t.usage.tokens, kind: 'number', cell: (row) => t.number(tokensOf(row)) },
    ],
  })
  return html`<section><h3>${title}</h3>${table}
${rest > 0 ? html`<p class="faint">${t.usage.moreInCsv(rest)}</p>` : nothing}</section>`
}
