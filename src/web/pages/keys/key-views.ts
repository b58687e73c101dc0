import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { confirmed, emptyState, notice, type Page, tabs } from '../../components/page.ts'
import { moment } from '../../components/times.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsTabs } from '../settings/settings-tabs.ts'

type Shown = {
  readonly keys: readonly KeyInfo[]
  readonly projects: readonly Project[]
  readonly done: string | undefined
}

/** The keys of an account, newest first. */
export function keysPage({ principal }: Visitor, { keys, projects, done }: Shown): Page {
  const names = new Map(projects.map((project) => [project.id, project.name]))
  const { plan } = principal
  return {
    title: 'API keys',
    section: 'settings',
    main: html`<h1>Settings</h1>${tabs(settingsTabs, '/settings/keys')}
${done ? notice('done', done) : nothing}
${plan.apiAccess ? nothing : notice('note', html`<b>Your plan “${plan.name}” does not include the API.</b> Keys can be made, but requests with them are refused with <code>plan_without_api_access</code> until whoever runs this service gives you another plan. Questions in <a href="/ask">these pages</a> work on any plan.`)}
<div class="head"><h2>API keys</h2><a class="button" href="/settings/keys/new">New key</a></div>
${keys.length === 0 ? emptyState('No keys yet', html`A key lets your programs ask questions. <a href="/settings/keys/new">Make the first one</a>: it takes a name and a click.`) : keyTable(keys, names)}`,
  }
}

function keyTable(keys: readonly KeyInfo[], names: ReadonlyMap<string, string>): Html {
  return html`<div class="scroll"><table><thead><tr><th>Name</th><th>Key</th><th>Reach</th><th>May</th><th>Made</th><th>Last used</th><th>State</th><th><span class="sr">Actions</span></th></tr></thead>
<tbody>${keys.map((key) => keyRow(key, names))}</tbody></table></div>`
}

function keyRow(key: KeyInfo, names: ReadonlyMap<string, string>): Html {
  const state = stateOf(key)
  return html`<tr class="${state === 'active' ? '' : 'past'}">
<th scope="row" dir="auto">${key.name}</th>
<td><code class="nowrap">${key.prefix}…${key.lastFour}</code></td>
<td dir="auto">${reachText(key, names)}</td>
<td><details><summary>${key.scopes.length} scopes</summary>${key.scopes.map((scope) => html`<code class="block">${scope}</code>`)}</details></td>
<td>${moment(key.createdAt)}</td>
<td>${key.lastUsedAt ? moment(key.lastUsedAt) : html`<span class="faint">never</span>`}</td>
<td><span class="badge ${state}">${state}</span>${state === 'active' && key.expiresAt ? html`<br><small>until ${moment(key.expiresAt)}</small>` : nothing}</td>
<td>${
    state === 'active'
      ? confirmed({
          label: 'Revoke',
          question: html`Programs that use “${key.name}” stop working at once. This cannot be undone.`,
          action: `/settings/keys/${key.id}/revoke`,
          yes: 'Yes, revoke it',
        })
      : nothing
  }</td></tr>`
}

function stateOf(key: KeyInfo): 'active' | 'revoked' | 'expired' {
  if (key.revokedAt) return 'revoked'
  return key.expiresAt && key.expiresAt.getTime() <= Date.now() ? 'expired' : 'active'
}

function reachText(key: KeyInfo, names: ReadonlyMap<string, string>): Html {
  if (key.binding === 'owner') return html`all projects`
  if (key.projectId === null) return html`its own project <small class="faint">(made on first use)</small>`
  return html`<a href="/projects/${key.projectId}">${names.get(key.projectId) ?? key.projectId}</a>`
}

/** The only page that shows the secret of a key. */
export function keyMadePage(
  { principal }: Visitor,
  { key, info, baseUrl }: { readonly key: string; readonly info: KeyInfo; readonly baseUrl: string },
): Page {
  return {
    title: 'Your new key',
    section: 'settings',
    scripts: ['copy.js'],
    main: html`<h1>Settings</h1>${tabs(settingsTabs, '/settings/keys')}
<section class="card"><h2 dir="auto">The key “${info.name}” is made</h2>
${notice('note', html`<b>Copy it now.</b> This is the only time it is shown: the service keeps no copy.`)}
${principal.plan.apiAccess ? nothing : notice('problem', `Your plan “${principal.plan.name}” does not include the API: requests with this key are refused until the plan is changed.`)}
${copyable('secret', key, 'The key')}
<h3>Ask something with curl</h3>
${copyable('curl', curlSnippet(key, baseUrl), 'The curl command')}
<h3>With the OpenAI library for Node.js</h3>
${copyable('node', nodeSnippet(baseUrl), 'The program')}
<h3>With the OpenAI library for Python</h3>
${copyable('python', pythonSnippet(baseUrl), 'The program')}
<p><a class="button" href="/settings/keys">I have copied it</a></p></section>`,
  }
}

function copyable(id: string, text: string, what: string): Html {
  return html`<div class="copyable"><pre tabindex="0" dir="ltr"><code id="${id}">${text}</code></pre><button class="quiet" type="button" data-copy="${id}" aria-label="Copy: ${what}" hidden>Copy</button></div>`
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
