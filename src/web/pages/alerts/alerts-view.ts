import { type Budget, budgetPeriods } from '../../../billing/budgets.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { type Endpoint, webhookEvents } from '../../../webhooks/endpoints.ts'
import { dataTable } from '../../components/data-table.ts'
import { selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { creditsIn, projectName } from '../wording.ts'

export type AlertProblems = {
  readonly done?: string | undefined
  /** Why a budget, or an endpoint, was refused. */
  readonly budget?: string
  readonly endpoint?: string
  /** The address that was refused. */
  readonly url?: string
}

type Shown = {
  readonly budgets: readonly Budget[]
  readonly endpoints: readonly Endpoint[]
  readonly projects: readonly Project[]
}

/** Budgets and webhook endpoints of an account. */
export function alertsPage(t: Texts, shown: Shown, problems: AlertProblems): Page {
  return settingsPage(t, {
    title: t.alerts.title,
    path: '/settings/alerts',
    main: html`${outcomeNotice({ done: problems.done })}
<h2>${t.alerts.budgets}</h2><p>${t.alerts.budgetsAbout}</p>
${shown.budgets.length === 0 ? nothing : budgetTable(t, shown)}
${budgetCard(t, shown, problems.budget)}
<h2>${t.alerts.webhooks}</h2><p>${t.alerts.webhooksAbout}</p>
${shown.endpoints.length === 0 ? emptyState(t.alerts.none, t.alerts.noneHint) : endpointTable(t, shown)}
${endpointCard(t, shown, problems)}`,
  })
}

function nameOf(t: Texts, projects: readonly Project[], id: string | null): Html {
  if (id === null || id === '') return html`${t.alerts.wholeAccount}`
  const project = projects.find((one) => one.id === id)
  return html`<bdi>${project ? projectName(t, project.name) : id}</bdi>`
}

function budgetTable(t: Texts, { budgets, projects }: Shown): Html {
  return dataTable({
    label: t.alerts.budgets,
    rows: budgets,
    columns: [
      { name: t.alerts.of, kind: 'title', cell: ({ projectId }) => nameOf(t, projects, projectId) },
      { name: t.usage.period, cell: ({ period }) => t.alerts.periods[period] },
      { name: t.usage.credits, kind: 'number', cell: ({ micros }) => creditsIn(t, micros) },
    ],
  })
}

function budgetCard(t: Texts, { projects }: Shown, problem: string | undefined): Html {
  return html`<section class="card narrow-left"><h3>${t.alerts.setBudget}</h3>
${outcomeNotice({ problem })}
<form method="post" action="/settings/alerts/budgets">
${projectField(t, projects)}
${selectField({
  ...{ label: t.usage.period, name: 'period', selected: 'month' },
  options: budgetPeriods.map((period) => ({ value: period, label: t.alerts.periods[period] })),
})}
<label>${t.usage.credits} <input name="credits" inputmode="decimal" dir="ltr" autocomplete="off"
aria-describedby="budget-hint"></label>
<p class="hint" id="budget-hint">${t.alerts.emptyRemoves}</p>
<button>${t.common.save}</button></form></section>`
}

function projectField(t: Texts, projects: readonly Project[]): Html {
  const choices = projects.map(({ id, name }) => ({ value: id, label: projectName(t, name) }))
  const options = [{ value: '', label: t.alerts.wholeAccount }, ...choices]
  return selectField({ label: t.alerts.of, name: 'project', options, selected: '' })
}

function endpointTable(t: Texts, { endpoints, projects }: Shown): Html {
  return dataTable({
    label: t.alerts.webhooks,
    rows: endpoints,
    columns: [
      {
        name: t.alerts.address,
        kind: 'title',
        cell: ({ id, url }) => html`<a href="/settings/alerts/webhooks/${id}" dir="ltr">${url}</a>`,
      },
      { name: t.alerts.of, cell: ({ projectId }) => nameOf(t, projects, projectId) },
      { name: t.alerts.events, cell: ({ events }) => html`<code>${events.join(', ')}</code>` },
      { name: t.alerts.state, cell: ({ disabled }) => (disabled ? t.alerts.off : t.alerts.on) },
    ],
  })
}

function endpointCard(t: Texts, { projects }: Shown, { endpoint: problem, url = '' }: AlertProblems): Html {
  return html`<section class="card narrow-left"><h3>${t.alerts.newEndpoint}</h3>
${outcomeNotice({ problem })}
<form method="post" action="/settings/alerts/webhooks">${addressField(t, url)}
${projectField(t, projects)}
${eventFields(t, ['run.completed', 'run.failed'])}
<button>${t.alerts.create}</button></form></section>`
}

export function addressField({ alerts }: Texts, url: string): Html {
  return html`<label>${alerts.address} <input type="url" name="url" required dir="ltr" autocomplete="off"
placeholder="${alerts.addressExample}" value="${url}"></label>`
}

export function eventFields({ alerts }: Texts, chosen: readonly string[]): Html {
  return html`<fieldset><legend>${alerts.events}</legend>${webhookEvents.map(
    (event) =>
      html`<label class="choice"><input type="checkbox" name="events" value="${event}"${
        chosen.includes(event) ? html` checked` : nothing
      }> <span><code>${event}</code> <small class="faint">${alerts.meanings[event]}</small></span></label>`,
  )}</fieldset>`
}
