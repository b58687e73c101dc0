import { type SettingName, settingNames } from '../../../accounts/keys/key-settings.ts'
import { toolGroups } from '../../../turns/run/run-request.ts'
import { type Option, selectField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** Values of the fields, as `readSettings` reads them. */
export type SettingValues = Readonly<Record<SettingName, string>>

export const emptySettings = Object.fromEntries(settingNames.map((name) => [name, ''])) as SettingValues

const limitFields: readonly SettingName[] = [
  'day_cap',
  'month_cap',
  'total_cap',
  'requests_per_minute',
  'concurrent_turns',
  'allowed_addresses',
]

const numberDefaults: readonly SettingName[] = ['max_output_tokens', 'max_cost']

/**
 * Fields for the limits and the defaults of a key. A group with a value is open.
 * @param models ids that the default model can have.
 */
export function settingFields(t: Texts, values: SettingValues, models: readonly string[]): Html {
  const { keys } = t
  const ofDefaults = settingNames.filter((name) => !limitFields.includes(name))
  const numbers = (names: readonly SettingName[]) => names.map((name) => numberField(t, name, values))
  return html`<details${openIf(limitFields, values)}><summary><b>${keys.limits}</b></summary>
<p><small>${keys.limitsHint}</small></p>
${numbers(limitFields.filter((name) => name !== 'allowed_addresses'))}
${addressField(t, values)}</details>
<details${openIf(ofDefaults, values)}><summary><b>${keys.defaults}</b></summary>
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
