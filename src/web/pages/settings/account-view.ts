import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import type { Providers } from '../../../accounts/providers/providers.ts'
import type { SecondFactor } from '../../../accounts/second-factor/second-factor.ts'
import type { ListedSession } from '../../../accounts/sign-in/web-sessions.ts'
import { dataTable, factList } from '../../components/data-table.ts'
import { confirmDialog } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { Visitor } from '../../visitors/visitor.ts'
import { ownerField } from './owner-field.ts'
import { settingsPage } from './settings-page.ts'

export type AccountMessages = {
  /** Why the password was not changed. */
  readonly problem?: string
  /** The field of the password form that was refused. */
  readonly wrong?: string | null
  /** Why the account was not deleted: its form is open again. */
  readonly deleteProblem?: string
  /** The new address to which no link was sent, and why. */
  readonly address?: { readonly email: string; readonly problem: string }
  readonly done?: string | undefined
}

export type AccountShown = {
  /** Whether the service sends mail, so that the address can change. */
  readonly hasMail: boolean
  /** Days from the closing of the account to its deletion; 0: at once. */
  readonly deletionDays: number
  readonly sessions: readonly ListedSession[]
  readonly factor: SecondFactor | undefined
  readonly hasPassword: boolean
  readonly providers: Providers | undefined
  /** The issuers by which the owner signs in. */
  readonly issuers: ReadonlySet<string>
}

/** The account's address and plan, the browsers that are signed in, the change of its password, and its deletion. */
export function accountPage(
  t: Texts,
  { person: account, role }: Visitor,
  messages: AccountMessages,
  shown: AccountShown,
): Page {
  const { common } = t
  const { hasMail, hasPassword } = shown
  return settingsPage(t, {
    title: t.account.accountTab,
    path: '/settings/account',
    role,
    main: html`${outcomeNotice({ done: messages.done })}
${factList([
  [common.email, html`<bdi>${account.email}</bdi>`],
  [common.plan, html`<bdi>${common.planName(account.plan)}</bdi>`],
])}
${signInList(t, shown.sessions)}
${providersCard(t, shown.providers, shown.issuers, hasPassword)}
${secondFactorCard(t, shown.factor)}
${passwordCard(t, account.email, hasPassword, messages)}
${hasMail ? addressCard(t, hasPassword, messages.address) : nothing}
${exportCard(t)}
${deleteCard(t, hasPassword, messages.deleteProblem, shown.deletionDays)}`,
  })
}

function secondFactorCard({ secondFactor }: Texts, factor: SecondFactor | undefined): Html {
  return html`<section class="card narrow-left"><h2>${secondFactor.title}</h2>
<p>${factor ? secondFactor.on : secondFactor.off}</p>
<p><a class="button quiet" href="/settings/second-factor">${secondFactor.change}</a></p></section>`
}

/** A refusal stands in the form that was refused: the page has two that ask for the current password. */
function passwordCard(t: Texts, email: string, hasPassword: boolean, messages: AccountMessages): Html {
  const { account, common } = t
  const { problem, wrong } = messages
  const { min } = passwordLength
  const mark = (name: string) => (wrong === name ? html` aria-invalid="true" autofocus` : nothing)
  const current = html`<label>${account.currentPassword}
<input type="password" name="current" autocomplete="current-password" required${mark('current')}></label>`
  const title = hasPassword ? account.changePassword : account.setPassword
  return html`<section class="card narrow-left"><h2>${title}</h2>
${outcomeNotice({ problem })}
<form method="post" action="/settings/account/password">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${hasPassword ? current : ownerField(t, false)}
<label>${common.newPassword} <input type="password" name="next" autocomplete="new-password"
minlength="${min}" required aria-describedby="rule"${mark('next')}></label>
<p class="hint" id="rule">${account.passwordRuleHere(min)}</p>
<button>${title}</button></form></section>`
}

function addressCard(t: Texts, hasPassword: boolean, refused: AccountMessages['address']): Html {
  const { account } = t
  return html`<section class="card narrow-left"><h2>${account.changeAddress}</h2>
<p>${account.changeAddressHint}</p>${outcomeNotice({ problem: refused?.problem })}
<form method="post" action="/settings/account/address">
<label>${account.newAddress} <input type="email" name="email" autocomplete="email" required dir="ltr"
value="${refused?.email ?? ''}"></label>
${ownerField(t, hasPassword)}
<button>${account.sendLink}</button></form></section>`
}

function exportCard({ account }: Texts): Html {
  return html`<section class="card narrow-left"><h2>${account.exportData}</h2>
<p>${account.exportMeaning}</p>
<form method="post" action="/settings/account/export"><button>${account.exportData}</button></form></section>`
}

function deleteCard(t: Texts, hasPassword: boolean, problem: string | undefined, days: number): Html {
  const { account } = t
  const dialog = confirmDialog(t, {
    label: account.deleteDots,
    action: '/settings/account/delete',
    confirm: days > 0 ? account.close : account.deleteEverything,
    isOpen: problem !== undefined,
    fields: html`${problem === undefined ? nothing : notice('problem', problem)}
${ownerField(t, hasPassword, account.passwordToConfirm)}`,
  })
  return html`<section class="card narrow-left"><h2>${account.deleteAccount}</h2>
<p>${days > 0 ? account.closeMeaning(days) : account.deleteMeaning}</p>
${dialog}</section>`
}

/** Words of a `User-Agent` and the browsers that send them. The first that matches counts: most also name others. */
const browsers = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['Firefox/', 'Firefox'],
  ['FxiOS/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const

/** The same for systems. */
const systems = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['CrOS', 'ChromeOS'],
  ['Macintosh', 'macOS'],
  ['Linux', 'Linux'],
] as const

/** What people call a browser, such as `Firefox, Linux`; an unknown one keeps its own words. May be empty. */
export function agentName(agent: string): string {
  const named = [browsers, systems].flatMap(
    (table) => table.find(([word]) => agent.includes(word))?.[1] ?? [],
  )
  return named.join(', ') || agent.slice(0, 60)
}

/** The browsers that are signed in to the account, each with a button that signs it out. */
function signInList(t: Texts, sessions: readonly ListedSession[]): Html {
  const { account, common } = t
  const list = dataTable({
    label: account.signIns,
    rows: sessions,
    columns: [
      {
        name: account.browser,
        kind: 'title',
        cell: ({ id, agent }) =>
          html`<bdi id="agent-${id}">${agentName(agent) || account.unknownBrowser}</bdi>`,
      },
      { name: account.signedIn, cell: ({ createdAt }) => t.minute(createdAt) },
      { name: t.common.lastUsed, cell: ({ seenAt }) => t.minute(seenAt) },
      {
        name: html`<span class="sr">${common.actions}</span>`,
        cell: ({ id, isCurrent }) =>
          isCurrent
            ? html`<b>${account.thisBrowser}</b>`
            : html`<form method="post" action="/settings/account/sign-ins/${id}/end">
<button class="quiet" aria-describedby="agent-${id}">${account.signOutOne}</button></form>`,
      },
    ],
  })
  const everywhere = confirmDialog(t, {
    label: account.signOutEverywhereDots,
    question: account.signOutEverywhereQuestion,
    action: '/settings/account/sign-ins/end',
    confirm: account.signOutEverywhere,
  })
  return html`<section id="sign-ins"><h2>${account.signIns}</h2>${list}
<p class="hint">${account.signInsHint}</p>${everywhere}</section>`
}

/** The providers, each with the form that connects or disconnects it; nothing without any. */
function providersCard(
  t: Texts,
  providers: Providers | undefined,
  connected: ReadonlySet<string>,
  hasPassword: boolean,
): Html {
  const { account } = t
  if (!providers || providers.size === 0) return nothing
  const forms = [...providers.values()].map(({ id, label, issuer }) => {
    const path = `/settings/account/providers/${id}`
    if (!connected.has(issuer))
      return html`<form method="post" action="${path}/connect"><h3><bdi>${label}</bdi></h3>
${ownerField(t, hasPassword)}<button>${account.connect}</button></form>`
    const again = html`<form method="post" action="/signin/with/${id}">
<input type="hidden" name="next" value="/settings/account"><button class="quiet">${account.signInAgain}</button></form>`
    return html`<h3><bdi>${label}</bdi></h3><p>${account.connected}</p>${hasPassword ? nothing : again}
<form method="post" action="${path}/disconnect"><button class="quiet danger">${account.disconnect}</button></form>`
  })
  return html`<section class="card narrow-left providers"><h2>${account.providers}</h2>
<p>${account.providersHint}</p>${forms}</section>`
}
