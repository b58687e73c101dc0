import { type Delivery, deliveryState } from '../../../webhooks/deliveries.ts'
import type { Endpoint } from '../../../webhooks/endpoints.ts'
import { dataTable } from '../../components/data-table.ts'
import { confirmDialog, copyField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { addressField, eventFields } from './alerts-view.ts'

type Shown = {
  readonly endpoint: Endpoint
  readonly deliveries: readonly Delivery[]
  readonly problem?: string | undefined
  readonly done?: string | undefined
}

/** One endpoint: which events it gets, its secret, and the log of deliveries. */
export function endpointPage(t: Texts, { endpoint, deliveries, problem, done }: Shown): Page {
  const { alerts } = t
  const path = `/settings/alerts/webhooks/${endpoint.id}`
  return settingsPage(t, {
    title: alerts.endpoint,
    path: '/settings/alerts',
    main: html`<p class="crumb"><a href="/settings/alerts">${alerts.title}</a></p>
<h2><bdi dir="ltr">${endpoint.url}</bdi></h2>
${outcomeNotice({ done })}
<section class="card narrow-left">${outcomeNotice({ problem })}
<form method="post" action="${path}">${addressField(t, endpoint.url)}${eventFields(t, endpoint.events)}
<label class="choice"><input type="checkbox" name="enabled"${endpoint.disabled ? nothing : html` checked`}>
<span>${alerts.isOn}</span></label>
<button>${t.common.save}</button></form>
<div class="row"><form method="post" action="${path}/test"><button class="quiet">${alerts.test}</button></form>
${confirmDialog(t, {
  ...{ label: alerts.rotate, question: alerts.rotateQuestion, action: `${path}/rotate` },
  ...{ confirm: alerts.rotateConfirm },
})}
${confirmDialog(t, {
  ...{ label: alerts.delete, question: alerts.deleteQuestion, action: `${path}/delete` },
  ...{ confirm: alerts.deleteConfirm },
})}</div></section>
<h2 id="log">${alerts.log}</h2>
${deliveries.length === 0 ? emptyState(alerts.noLog, alerts.noLogHint) : deliveryTable(t, path, deliveries)}`,
  })
}

function deliveryTable(t: Texts, path: string, deliveries: readonly Delivery[]): Html {
  const { alerts } = t
  return dataTable({
    label: alerts.log,
    rows: deliveries,
    columns: [
      {
        name: alerts.event,
        kind: 'title',
        cell: ({ type, body, event }) => html`<details><summary><code>${type}</code></summary>
<p class="faint"><code>${event}</code></p><pre tabindex="0" dir="ltr"><code>${body}</code></pre></details>`,
      },
      { name: alerts.when, cell: ({ createdAt }) => t.minute(createdAt) },
      { name: alerts.state, cell: (delivery) => stateOf(t, delivery) },
      { name: alerts.attempts, kind: 'number', cell: ({ attempts }) => attempts },
      {
        name: html`<span class="sr">${alerts.again}</span>`,
        cell: ({ id }) => html`<form method="post" action="${path}/deliveries/${id}/send">
<button class="quiet">${alerts.again}</button></form>`,
      },
    ],
  })
}

function stateOf({ alerts }: Texts, delivery: Delivery): Html {
  const why = delivery.error ?? (delivery.status === null ? '' : String(delivery.status))
  const reason = why === '' ? nothing : html` <bdi class="faint" dir="ltr">${why}</bdi>`
  return html`${alerts.states[deliveryState(delivery)]}${reason}`
}

/** The secret of a new endpoint, or a new one of an endpoint. It is shown only here. */
export function secretPage(
  t: Texts,
  { endpoint, secret }: { readonly endpoint: Endpoint; readonly secret: string },
): Page {
  const { alerts } = t
  return {
    ...settingsPage(t, {
      title: alerts.secret,
      path: '/settings/alerts',
      scripts: ['copy.js'],
      main: html`<h2>${alerts.secret}</h2>${notice('note', alerts.secretOnce)}
${copyField(t, { id: 'secret', text: secret, what: alerts.secret })}
<p>${alerts.secretUse}</p>
<p><a class="button" href="/settings/alerts/webhooks/${endpoint.id}">${alerts.toEndpoint}</a></p>`,
    }),
    hasSecret: true,
  }
}
