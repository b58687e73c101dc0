import { type KeyFilter, type KeyState, keyStates } from '../../../accounts/keys/key-list.ts'
import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import type { CapPeriod, KeySpending } from '../../../billing/key-spending.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { dataTable } from '../../components/data-table.ts'
import { confirmDialog, copyField, selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import { olderPage, pager } from '../../components/pager.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { creditsIn, projectName } from '../wording.ts'

type Shown = {
  readonly keys: { readonly items: readonly KeyInfo[]; readonly hasMore: boolean }
  /** What the keys with a cap have spent, by the id of the key. */
  readonly spending: ReadonlyMap<string, KeySpending>
  readonly projects: readonly Project[]
  /** Ids of the keys that another one has replaced. */
  readonly replaced: ReadonlySet<string>
  readonly filter: KeyFilter
  /** Whether no newer keys are on a page before this one. */
  readonly isFirst: boolean
  readonly done: string | undefined
}

/** From this number of keys on, the list has a filter. */
const filteredFrom = 6

/** Keys of an account, newest first. */
export function keysPage(t: Texts, { principal, role }: Visitor, shown: Shown): Page {
  const { keys, filter, isFirst, done } = shown
  const isFiltered = filter.q !== '' || filter.state !== ''
  const isLong = keys.items.length >= filteredFrom || keys.hasMore || !isFirst
  return settingsPage(t, {
    title: t.keys.title,
    path: '/settings/keys',
    role,
    main: html`${outcomeNotice({ done })}
${principal.plan.apiAccess ? nothing : notice('note', t.keys.noAccess(t.common.planName(principal.plan.name)))}
<div class="head"><h2>${t.keys.title}</h2><a class="button" href="/settings/keys/new">${t.keys.newKey}</a></div>
${isLong || isFiltered ? filterForm(t, filter) : nothing}
${isLong || isFiltered || keys.items.length > 0 ? foundKeys(t, shown) : emptyState(t.keys.none, t.keys.noneHint)}`,
  })
}

function foundKeys(t: Texts, shown: Shown): Html {
  const { keys, filter } = shown
  if (keys.items.length === 0) return emptyState(t.keys.noneFound, t.keys.showAll)
  const path = withQuery('/settings/keys', filter)
  return html`${keyTable(t, shown)}${pager(olderPage(keys, path, 'after', t.common.older))}`
}

function filterForm({ common, keys }: Texts, { q, state }: KeyFilter): Html {
  const options = [
    { value: '', label: common.any },
    ...keyStates.map((value) => ({ value, label: keys.states[value] })),
  ]
  return html`<form class="filters" role="search" action="/settings/keys">
<label>${common.name} <input type="search" name="q" maxlength="100" dir="auto" value="${q}"></label>
${selectField({ label: common.status, name: 'state', options, selected: state })}
<button class="quiet">${common.show}</button></form>`
}

function keyTable(t: Texts, { keys, projects, spending, replaced }: Shown): Html {
  const names = new Map(projects.map(({ id, name }) => [id, projectName(t, name)]))
  return dataTable({
    label: t.keys.title,
    // The keys that programs should no longer have stand last.
    rows: [...keys.items].sort((a, b) => Number(replaced.has(a.id)) - Number(replaced.has(b.id))),
    rowClass: (key) => (stateOf(key) === 'active' && !replaced.has(key.id) ? '' : 'past'),
    columns: [
      { name: t.common.name, kind: 'title', cell: nameCell },
      { name: t.keys.access, cell: (key) => accessText(t, key, names) },
      { name: t.keys.permissions, cell: (key) => scopeList(t, key) },
      { name: t.keys.limits, cell: (key) => limitList(t, key, spending.get(key.id)) },
      { name: t.common.lastUsed, cell: (key) => lastUsed(t, key) },
      { name: t.common.status, cell: (key) => stateCell(t, key, replaced.has(key.id)) },
      { name: html`<span class="sr">${t.common.actions}</span>`, cell: (key) => actions(t, key) },
    ],
  })
}

function nameCell(key: KeyInfo): Html {
  const { name } = key
  return html`<bdi>${name}</bdi><br>${keyText(key)}`
}

/** What may be shown of a key's text. */
function keyText({ prefix, lastFour }: KeyInfo): Html {
  return html`<code class="nowrap faint" dir="ltr">${prefix}…${lastFour}</code>`
}

/** Every row has the same actions; the name of its key describes them to screen readers. */
const nameId = (id: string) => `name-${id}`

function lastUsed(t: Texts, { createdAt, lastUsedAt }: KeyInfo): Html {
  return html`${lastUsedAt ? t.day(lastUsedAt) : html`<span class="faint">${t.common.never}</span>`}<br>
<small class="faint nowrap">${t.projects.created(t.day(createdAt))}</small>`
}

function scopeList(t: Texts, { scopes }: KeyInfo): Html {
  return html`<details><summary class="nowrap">${t.common.permissions(scopes.length)}</summary>
${scopes.map((scope) => html`<code class="block">${scope}</code>`)}</details>`
}

/** The limits of the key itself, one a line, with what has been spent of them. */
function limitList(t: Texts, key: KeyInfo, spending: KeySpending | undefined): Html {
  const { keys } = t
  const spent = (period: CapPeriod, cap: bigint) =>
    spending ? keys.spentOf(creditsIn(t, spending[period]), creditsIn(t, cap)) : creditsIn(t, cap)
  const limits = [
    key.dayCapMicros !== null && keys.perDay(spent('day', key.dayCapMicros)),
    key.monthCapMicros !== null && keys.perMonth(spent('month', key.monthCapMicros)),
    key.totalCapMicros !== null && keys.inAll(spent('total', key.totalCapMicros)),
    key.requestsPerMinute !== null && keys.perMinute(key.requestsPerMinute),
    key.concurrentTurns !== null && keys.concurrent(key.concurrentTurns),
    key.allowedAddresses !== null && keys.fromAddresses(key.allowedAddresses.length),
  ].filter((limit) => limit !== false)
  if (limits.length === 0) return html`<span class="faint">${keys.noLimits}</span>`
  return html`${limits.map((limit) => html`<span class="nowrap">${limit}</span><br>`)}`
}

function actions(t: Texts, key: KeyInfo): Html {
  if (key.revokedAt) return nothing
  const name = nameId(key.id)
  return html`<div class="row row-actions"><span id="${name}" hidden>${key.name}</span>
<a class="button quiet" href="/settings/keys/${key.id}"
aria-describedby="${name}">${t.common.edit}</a>
<a class="button quiet" href="/settings/keys/new?like=${key.id}" aria-describedby="${name}">${t.keys.replace}</a>
${revokeDialog(t, key)}</div>`
}

function stateCell(t: Texts, key: KeyInfo, isReplaced: boolean): Html {
  const state = stateOf(key)
  const isTemporary = state === 'active' && key.expiresAt
  return html`<span class="badge ${state}">${t.keys.states[state]}</span>
${isReplaced ? html`<span class="badge expired">${t.keys.replaced}</span>` : nothing}
${isTemporary ? html`<br><small>${t.keys.until(t.day(isTemporary))}</small>` : nothing}`
}

function revokeDialog(t: Texts, key: KeyInfo): Html {
  const { keys } = t
  if (stateOf(key) !== 'active') return nothing
  return confirmDialog(t, {
    label: keys.revoke,
    question: keys.revokeQuestion(key.name, keyText(key)),
    action: `/settings/keys/${key.id}/revoke`,
    confirm: keys.revokeConfirm,
    describedBy: nameId(key.id),
  })
}

function stateOf(key: KeyInfo): KeyState {
  if (key.revokedAt) return 'revoked'
  return key.expiresAt && key.expiresAt.getTime() <= Date.now() ? 'expired' : 'active'
}

function accessText(t: Texts, key: KeyInfo, names: ReadonlyMap<string, string>): unknown {
  const { keys } = t
  if (key.binding === 'owner') return keys.allProjects
  if (key.projectId === null) return keys.ownProject
  return html`<a href="/projects/${key.projectId}" dir="auto">${names.get(key.projectId) ?? key.projectId}</a>`
}

type KeyMade = {
  readonly key: string
  readonly info: KeyInfo
  /** The key that the new one takes over from; it still works. */
  readonly replaced: KeyInfo | undefined
  readonly baseUrl: string
}

/** The only page that shows the secret of a key. */
export function keyMadePage(
  t: Texts,
  { principal, role }: Visitor,
  { key, info, replaced, baseUrl }: KeyMade,
): Page {
  const { keys } = t
  const { plan } = principal
  const question = keys.exampleQuestion
  return settingsPage(t, {
    title: keys.yourNewKey,
    path: '/settings/keys',
    role,
    scripts: ['copy.js'],
    main: html`<section class="card"><h2>${keys.made(info.name)}</h2>
${notice('note', keys.copyNow)}
${plan.apiAccess ? nothing : notice('problem', keys.refused(t.common.planName(plan.name)))}
${copyField(t, { id: 'secret', text: key, what: keys.theKey })}
<h3>${keys.withCurl}</h3>
${copyField(t, { id: 'curl', text: curlSnippet(key, baseUrl, question), what: keys.theCommand })}
<p class="hint">${keys.fromVariable}</p>
<h3>${keys.withNode}</h3>
${copyField(t, { id: 'node', text: nodeSnippet(baseUrl, question), what: keys.theProgram })}
<h3>${keys.withPython}</h3>
${copyField(t, { id: 'python', text: pythonSnippet(baseUrl, question), what: keys.theProgram })}
<p><a class="button" href="/settings/keys">${keys.copied}</a></p></section>
${replaced ? replacedCard(t, replaced) : nothing}`,
  })
}

function replacedCard(t: Texts, key: KeyInfo): Html {
  const { keys } = t
  return html`<section class="card"><h2>${keys.replacedKey}</h2>
<p id="${nameId(key.id)}">${nameCell(key)}</p>
<p>${keys.oldKeyHint}</p>${revokeDialog(t, key)}</section>`
}

function curlSnippet(key: string, baseUrl: string, question: string): string {
  return `curl -N ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"service","stream":true,"messages":[{"role":"user","content":"${question}"}]}'`
}

function nodeSnippet(baseUrl: string, question: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: process.env.API_KEY })
const stream = await client.chat.completions.create({
  model: 'service',
  stream: true,
  messages: [{ role: 'user', content: '${question}' }],
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`
}

function pythonSnippet(baseUrl: string, question: string): string {
  return `import os
from openai import OpenAI

client = OpenAI(base_url="${baseUrl}", api_key=os.environ["API_KEY"])
stream = client.chat.completions.create(
    model="service",
    stream=True,
    messages=[{"role": "user", "content": "${question}"}],
)
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)`
}
