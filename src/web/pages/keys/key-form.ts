import { scopes as allScopes, type KeyScope } from '../../../accounts/scopes.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import { selectField } from '../../components/select-field.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsPage } from '../settings/settings-page.ts'

export type KeyFormValues = {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly reach: string
  readonly expires: string
  readonly problem?: string
}

const grants: Readonly<Record<KeyScope, string>> = {
  'models:read': 'list the models',
  'sources:read': 'search and read the library, check quotations; costs no credits',
  'chat:write': 'ask questions, follow and stop runs; includes the library',
  'sessions:write': 'create and continue conversations',
  'files:read': 'list and download files',
  'files:write': 'upload and delete files',
  'projects:read': 'list projects',
  'projects:write': 'create, change and delete projects; only for a key with access to all projects',
}

const expiries = [
  { value: 'never', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
]

/** The form for a new key. */
export function keyForm({ account }: Visitor, projects: readonly Project[], values: KeyFormValues): Page {
  return settingsPage({
    title: 'New API key',
    path: '/settings/keys',
    main: html`<section class="card narrow-left"><h2>New API key</h2>
${outcomeNotice(values)}
<form method="post" action="/settings/keys">
<input type="hidden" name="id" value="${values.id}">
<label>Name <input name="name" required maxlength="100" value="${values.name}" autocomplete="off" dir="auto"
placeholder="For example: website, back end"></label>
<fieldset><legend>Access</legend>
${accessChoices(projects, values.reach)}
</fieldset>
<fieldset><legend>Permissions</legend>
${allScopes.map((scope) => scopeBox(scope, values.scopes.includes(scope)))}
</fieldset>
${selectField({ label: 'Expires', name: 'expires', options: expiries, selected: values.expires })}
<p class="row"><button>Create key</button> <a href="/settings/keys">Cancel</a></p>
</form></section>
<p class="faint">Keys of ${account.email} are for servers and scripts. Never put a key into a web page, an app or a
repository.</p>`,
  })
}

function accessChoices(projects: readonly Project[], chosen: string): Html {
  const isProject = projects.some((project) => project.id === chosen)
  return html`${accessChoice('dedicated', chosen, ownProject)}
${
  projects.length === 0
    ? nothing
    : html`<details class="choices"${isProject ? html` open` : nothing}><summary>One of your projects</summary>
${projects.map(({ id, name }) => accessChoice(id, chosen, html`<bdi>${name}</bdi>`))}</details>`
}
${accessChoice('owner', chosen, allProjects)}`
}

const ownProject = html`<b>A project of its own</b><br>
<small>The first request creates it. The key can access nothing else. This is the safest choice.</small>`

const allProjects = html`<b>All projects</b><br>
<small class="warn">Anyone with this key can read and change everything in your account. Use it only if you
must.</small>`

function accessChoice(value: string, chosen: string, label: Html): Html {
  return html`<label class="choice"><input type="radio" name="reach" value="${value}"${checked(value === chosen)}>
<span>${label}</span></label>`
}

function scopeBox(scope: KeyScope, on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="scopes" value="${scope}"${checked(on)}>
<span><code>${scope}</code><br><small>${grants[scope]}</small></span></label>`
}

function checked(on: boolean): Html {
  return on ? html` checked` : nothing
}
