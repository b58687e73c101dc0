import {
  defaultNames,
  limitNames,
  type SettingName,
  settingNames,
} from '../../../accounts/keys/key-settings.ts'
import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import type { MemberRole } from '../../../accounts/members/members.ts'
import { scopes as allScopes, type KeyScope } from '../../../accounts/scopes.ts'
import type { KeySpending } from '../../../billing/key-spending.ts'
import { toolGroups } from '../../../turns/run/run-request.ts'
import type { Project } from '../../../turns/sessions/projects.ts'
import { factList } from '../../components/data-table.ts'
import { type Option, selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { creditsIn, projectName } from '../wording.ts'

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

/** Values of the fields, as `readSettings` reads them. */
export type SettingValues = Readonly<Record<SettingName, string>>

export const emptySettings = Object.fromEntries(settingNames.map((name) => [name, ''])) as SettingValues

const numberDefaults: readonly SettingName[] = ['max_output_tokens', 'max_cost']

/**
 * Fields for the limits and the defaults of a key. A group with a value is open.
 * @param models ids that the default model can have.
 */
export function settingFields(t: Texts, values: SettingValues, models: readonly string[]): Html {
  const { keys } = t
  const numbers = (names: readonly SettingName[]) => names.map((name) => numberField(t, name, values))
  return html`<details${openIf(limitNames, values)}><summary><b>${keys.limits}</b></summary>
<p><small>${keys.limitsHint}</small></p>
${numbers(limitNames.filter((name) => name !== 'allowed_addresses'))}
${addressField(t, values)}</details>
<details${openIf(defaultNames, values)}><summary><b>${keys.defaults}</b></summary>
<p><small>${keys.defaultsHint}</small></p>
${choiceFields(t, values, models)}
${numbers(numberDefaults)}</details>`
}

function openIf(names: readonly SettingName[], values: SettingValues): Html {
  return names.some((name) => values[name] !== '') ? html` open` : nothing
}

function choiceFields({ keys }: Texts, values: SettingValues, models: readonly string[]): readonly Html[] {
  const { choices, settings } = keys
  const named = (...names: readonly ('continue' | 'cancel' | 'numbers' | 'links' | 'on' | 'off')[]) =>
    names.map((value) => ({ value, label: choices[value] }))
  const fields: readonly (readonly [SettingName, readonly Option[]])[] = [
    ['model', models.map((id) => ({ value: id, label: id }))],
    ['on_disconnect', named('continue', 'cancel')],
    ['tools', toolChoices(keys)],
    ['citation_style', named('numbers', 'links')],
    ['continue_history', named('on', 'off')],
  ]
  return fields.map(([name, options]) =>
    selectField({
      label: settings[name],
      name,
      options: [{ value: '', label: choices.notSet }, ...options],
      selected: values[name],
    }),
  )
}

/** Every choice of tool groups, except all of them: that is what an empty value means. */
function toolChoices({ choices }: Texts['keys']): readonly Option[] {
  return Array.from({ length: 2 ** toolGroups.length - 1 }, (_, bits) => {
    const groups = toolGroups.filter((_group, i) => (bits >> i) % 2 === 1)
    if (groups.length === 0) return { value: 'none', label: choices.noTools }
    return { value: groups.join(','), label: groups.map((group) => choices.groups[group]).join(', ') }
  })
}

function addressField({ keys }: Texts, values: SettingValues): Html {
  return html`<label>${keys.settings.allowed_addresses} <input name="allowed_addresses"
value="${values.allowed_addresses}" maxlength="2500" autocomplete="off" spellcheck="false" dir="ltr"></label>`
}

function numberField({ keys }: Texts, name: SettingName, values: SettingValues): Html {
  return html`<label>${keys.settings[name]} <input name="${name}" value="${values[name]}" inputmode="decimal"
maxlength="20" autocomplete="off" dir="ltr"></label>`
}

type Shown = {
  readonly key: KeyInfo
  readonly role: MemberRole
  readonly spending: KeySpending
  readonly models: readonly string[]
  readonly name: string
  readonly values: SettingValues
  readonly problem?: string
}

/** The form for the name, the limits and the defaults of a key, with what the key has spent. */
export function keyEditPage(t: Texts, { key, role, spending, models, name, values, problem }: Shown): Page {
  const { common, keys } = t
  const spent = (micros: bigint, cap: bigint | null) =>
    cap === null ? common.credits(creditsIn(t, micros)) : keys.usedOf(creditsIn(t, micros), creditsIn(t, cap))
  return settingsPage(t, {
    title: keys.editTitle,
    path: '/settings/keys',
    role,
    main: html`<section class="card narrow-left"><h2>${keys.editKey(key.name)}</h2>
<p><code>${key.prefix}…${key.lastFour}</code></p>
${outcomeNotice({ problem })}
${factList([
  [keys.spentToday, spent(spending.day, key.dayCapMicros)],
  [keys.spentThisMonth, spent(spending.month, key.monthCapMicros)],
  [keys.spentInAll, spent(spending.total, key.totalCapMicros)],
  [keys.heldNow, common.credits(creditsIn(t, spending.held))],
])}
<form method="post" action="/settings/keys/${key.id}">
<label>${common.name} <input name="name" required maxlength="100" value="${name}" autocomplete="off" dir="auto"></label>
${settingFields(t, values, models)}
<p class="row"><button>${t.common.save}</button> <a href="/settings/keys">${common.cancel}</a></p>
</form></section>`,
  })
}
