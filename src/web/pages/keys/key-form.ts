import { scopes as allScopes, type KeyScope } from '../../../accounts/scopes.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, type Page, tabs } from '../../components/page.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsTabs } from '../settings/settings-tabs.ts'

export type KeyFormValues = {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly reach: string
  readonly expires: string
  readonly problem?: string
}

const grants: Readonly<Record<KeyScope, string>> = {
  'models:read': 'see the list of models',
  'chat:write': 'ask questions, search the sources, follow and stop runs',
  'sessions:write': 'make conversations and go on with them',
  'files:read': 'list and download files',
  'files:write': 'upload and delete files',
  'projects:read': 'list projects',
  'projects:write': 'create, change and delete projects; only for a key that reaches all projects',
}

const expiries = { never: 'Never', '30': 'In 30 days', '90': 'In 90 days', '365': 'In a year' }

/** The form for a new key. */
export function keyForm({ account }: Visitor, projects: readonly Project[], values: KeyFormValues): Page {
  return {
    title: 'New API key',
    section: 'settings',
    main: html`<h1>Settings</h1>${tabs(settingsTabs, '/settings/keys')}
<section class="card narrow-left"><h2>New API key</h2>
${values.problem ? notice('problem', values.problem) : nothing}
<form method="post" action="/settings/keys">
<input type="hidden" name="id" value="${values.id}">
<label>Name <input name="name" required maxlength="100" value="${values.name}" placeholder="Such as: website, back end" autocomplete="off" dir="auto"></label>
<fieldset><legend>Reach</legend>
${reachOptions(projects, values.reach)}
</fieldset>
<fieldset><legend>The key may</legend>
${allScopes.map((scope) => scopeBox(scope, values.scopes.includes(scope)))}
</fieldset>
<label>Expires <select name="expires">${Object.entries(expiries).map(
      ([value, label]) =>
        html`<option value="${value}"${value === values.expires ? html` selected` : nothing}>${label}</option>`,
    )}</select></label>
<p class="row"><button>Make the key</button> <a href="/settings/keys">Back</a></p>
</form></section>
<p class="faint">Keys of ${account.email} are for servers and scripts. Never put one into a web page, an app or a repository.</p>`,
  }
}

function reachOptions(projects: readonly Project[], chosen: string): Html {
  const projectChosen = projects.some((project) => project.id === chosen)
  return html`<label class="choice"><input type="radio" name="reach" value="dedicated"${checked(chosen === 'dedicated')}> <span><b>A project of its own</b><br><small>Made on first use. The key sees nothing else. The safe choice.</small></span></label>
${
  projects.length === 0
    ? nothing
    : html`<details class="choices"${projectChosen ? html` open` : nothing}><summary>One of your projects</summary>${projects.map(
        (project) =>
          html`<label class="choice"><input type="radio" name="reach" value="${project.id}"${checked(chosen === project.id)}> <span dir="auto">${project.name}</span></label>`,
      )}</details>`
}
<label class="choice"><input type="radio" name="reach" value="owner"${checked(chosen === 'owner')}> <span><b>All projects</b><br><small class="warn">Whoever has this key can read and change everything in your account. Use it only where you must.</small></span></label>`
}

function scopeBox(scope: KeyScope, on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="scopes" value="${scope}"${checked(on)}> <span><code>${scope}</code><br><small>${grants[scope]}</small></span></label>`
}

function checked(on: boolean): Html {
  return on ? html` checked` : nothing
}
