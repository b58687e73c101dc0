import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import type { Plan } from '../../../accounts/plans.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { confirmDialog } from '../../components/confirm-dialog.ts'
import { copyField } from '../../components/copy-field.ts'
import { dataTable } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { emptyState, notice, outcomeNotice, type Page } from '../../components/page.ts'
import { counted } from '../../components/texts.ts'
import { formatDate } from '../../components/times.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsPage } from '../settings/settings-page.ts'

type Shown = {
  readonly keys: readonly KeyInfo[]
  readonly projects: readonly Project[]
  readonly done: string | undefined
}

/** The keys of an account, newest first. */
export function keysPage({ principal }: Visitor, { keys, projects, done }: Shown): Page {
  const names = new Map(projects.map((project) => [project.id, project.name]))
  return settingsPage({
    title: 'API keys',
    path: '/settings/keys',
    main: html`${outcomeNotice({ done })}
${principal.plan.apiAccess ? nothing : noAccessNote(principal.plan)}
<div class="head"><h2>API keys</h2><a class="button" href="/settings/keys/new">New key</a></div>
${keys.length === 0 ? noKeys : keyTable(keys, names)}`,
  })
}

function noAccessNote(plan: Plan): Html {
  return notice(
    'note',
    html`<b>Your plan “${plan.name}” does not include the API.</b> You can create keys, but the API refuses their
requests with <code>plan_without_api_access</code> until the operator of this service gives you another plan.
<a href="/ask">Questions on these pages</a> work on every plan.`,
  )
}

const noKeys = emptyState(
  'No keys yet',
  html`A key lets your programs ask questions. <a href="/settings/keys/new">Create your first key</a>.`,
)

function keyTable(keys: readonly KeyInfo[], names: ReadonlyMap<string, string>): Html {
  return dataTable({
    label: 'API keys',
    rows: keys,
    rowClass: (key) => (stateOf(key) === 'active' ? '' : 'past'),
    columns: [
      { name: 'Name', kind: 'title', isName: true, cell: ({ name }) => name },
      { name: 'Key', cell: (key) => html`<code class="nowrap">${key.prefix}…${key.lastFour}</code>` },
      { name: 'Access', isName: true, cell: (key) => accessText(key, names) },
      { name: 'Permissions', cell: scopeList },
      { name: 'Created', cell: ({ createdAt }) => formatDate(createdAt) },
      { name: 'Last used', cell: ({ lastUsedAt }) => (lastUsedAt ? formatDate(lastUsedAt) : never) },
      { name: 'Status', cell: stateCell },
      { name: html`<span class="sr">Actions</span>`, cell: revokeDialog },
    ],
  })
}

const never = html`<span class="faint">never</span>`

function scopeList({ scopes }: KeyInfo): Html {
  return html`<details><summary>${counted(scopes.length, 'scope')}</summary>
${scopes.map((scope) => html`<code class="block">${scope}</code>`)}</details>`
}

function stateCell(key: KeyInfo): Html {
  const state = stateOf(key)
  const isTemporary = state === 'active' && key.expiresAt
  return html`<span class="badge ${state}">${state}</span>
${isTemporary ? html`<br><small>until ${formatDate(isTemporary)}</small>` : nothing}`
}

function revokeDialog(key: KeyInfo): Html {
  if (stateOf(key) !== 'active') return nothing
  return confirmDialog({
    label: 'Revoke',
    question: html`Programs that use “${key.name}” stop working immediately. This cannot be undone.`,
    action: `/settings/keys/${key.id}/revoke`,
    confirm: 'Yes, revoke it',
  })
}

function stateOf(key: KeyInfo): 'active' | 'revoked' | 'expired' {
  if (key.revokedAt) return 'revoked'
  return key.expiresAt && key.expiresAt.getTime() <= Date.now() ? 'expired' : 'active'
}

function accessText(key: KeyInfo, names: ReadonlyMap<string, string>): Html {
  if (key.binding === 'owner') return html`all projects`
  if (key.projectId === null) return html`its own project <small class="faint">(created on first use)</small>`
  return html`<a href="/projects/${key.projectId}">${names.get(key.projectId) ?? key.projectId}</a>`
}

/** The only page that shows the secret of a key. */
export function keyMadePage(
  { principal }: Visitor,
  { key, info, baseUrl }: { readonly key: string; readonly info: KeyInfo; readonly baseUrl: string },
): Page {
  const refused = `Your plan “${principal.plan.name}” does not include the API: requests with this key are refused.`
  return settingsPage({
    title: 'Your new key',
    path: '/settings/keys',
    scripts: ['copy.js'],
    main: html`<section class="card"><h2 dir="auto">The key “${info.name}” has been created</h2>
${notice('note', html`<b>Copy it now.</b> It is shown only once: the service stores no copy.`)}
${principal.plan.apiAccess ? nothing : notice('problem', refused)}
${copyField({ id: 'secret', text: key, what: 'The key' })}
<h3>Ask a question with curl</h3>
${copyField({ id: 'curl', text: curlSnippet(key, baseUrl), what: 'The curl command' })}
<h3>With the OpenAI library for Node.js</h3>
${copyField({ id: 'node', text: nodeSnippet(baseUrl), what: 'The program' })}
<h3>With the OpenAI library for Python</h3>
${copyField({ id: 'python', text: pythonSnippet(baseUrl), what: 'The program' })}
<p><a class="button" href="/settings/keys">I have copied it</a></p></section>`,
  })
}

const question = 'What does the Tanya mean by a beinoni?'

function curlSnippet(key: string, baseUrl: string): string {
  return `curl -N ${baseUrl}/chat/completions \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"service","stream":true,"messages":[{"role":"user","content":"${question}"}]}'`
}

function nodeSnippet(baseUrl: string): string {
  return `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${baseUrl}', apiKey: process.env.API_KEY })
const stream = await client.chat.completions.create({
  model: 'service',
  stream: true,
  messages: [{ role: 'user', content: '${question}' }],
})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`
}

function pythonSnippet(baseUrl: string): string {
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
