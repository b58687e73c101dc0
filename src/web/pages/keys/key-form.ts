import { scopes as allScopes, type KeyScope } from '../../../accounts/scopes.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { projectName } from '../project-name.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { type SettingValues, settingFields } from './setting-fields.ts'

export type KeyFormValues = {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly reach: string
  readonly expires: string
  readonly settings: SettingValues
  /** Id of the key that the new one takes over from; empty for none. */
  readonly replaces: string
  readonly problem?: string
}

const expiries = ['never', '30', '90', '365'] as const

type Choices = { readonly projects: readonly Project[]; readonly models: readonly string[] }

/** The form for a new key. */
export function keyForm(
  t: Texts,
  { account, principal, role }: Visitor,
  { projects, models }: Choices,
  values: KeyFormValues,
): Page {
  const { common, keys } = t
  const options = expiries.map((value) => ({ value, label: keys.expiries[value] }))
  return settingsPage(t, {
    title: keys.newTitle,
    path: '/settings/keys',
    role,
    main: html`<section class="card narrow-left"><h2>${keys.newTitle}</h2>
${outcomeNotice(values)}
${values.replaces === '' ? nothing : notice('note', keys.replacing)}
<form method="post" action="/settings/keys">
<input type="hidden" name="id" value="${values.id}">
<input type="hidden" name="replaces" value="${values.replaces}">
<label>${common.name} <input name="name" required maxlength="100" value="${values.name}" autocomplete="off" dir="auto"
placeholder="${keys.namePlaceholder}"></label>
<fieldset><legend>${keys.access}</legend>
${accessChoices(t, projects, values.reach)}
</fieldset>
<fieldset><legend>${keys.permissions}</legend>
${allScopes
  .filter((scope) => principal.scopes.has(scope))
  .map((scope) => scopeBox(t, scope, values.scopes.includes(scope)))}
</fieldset>
${selectField({ label: keys.expires, name: 'expires', options, selected: values.expires })}
${settingFields(t, values.settings, models)}
<p class="row"><button>${keys.create}</button> <a href="/settings/keys">${common.cancel}</a></p>
</form></section>
<p class="faint">${keys.forServers(account.email)}</p>`,
  })
}

function accessChoices(t: Texts, projects: readonly Project[], chosen: string): Html {
  const { keys } = t
  const isProject = projects.some((project) => project.id === chosen)
  const ownProject = html`<b>${keys.dedicated}</b><br><small>${keys.dedicatedHint}</small>`
  const allProjects = html`<b>${keys.all}</b><br><small class="warn">${keys.allHint}</small>`
  return html`${accessChoice('dedicated', chosen, ownProject)}
${
  projects.length === 0
    ? nothing
    : html`<details class="choices"${isProject ? html` open` : nothing}><summary>${keys.oneOfYours}</summary>
${projects.map(({ id, name }) => accessChoice(id, chosen, html`<bdi>${projectName(t, name)}</bdi>`))}</details>`
}
${accessChoice('owner', chosen, allProjects)}`
}

function accessChoice(value: string, chosen: string, label: Html): Html {
  return html`<label class="choice"><input type="radio" name="reach" value="${value}"${checked(value === chosen)}>
<span>${label}</span></label>`
}

function scopeBox({ keys }: Texts, scope: KeyScope, on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="scopes" value="${scope}"${checked(on)}>
<span><code>${scope}</code><br><small>${keys.grants[scope]}</small></span></label>`
}

function checked(on: boolean): Html {
  return on ? html` checked` : nothing
}
