import type { KeyInfo } from '../../../accounts/keys/keys.ts'
import type { MemberRole } from '../../../accounts/members/members.ts'
import type { KeySpending } from '../../../billing/key-spending.ts'
import { factList } from '../../components/fact-list.ts'
import { html } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { creditsIn } from '../amounts.ts'
import { settingsPage } from '../settings/settings-page.ts'
import { type SettingValues, settingFields } from './setting-fields.ts'

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
