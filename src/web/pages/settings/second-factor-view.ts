import type { ListedPasskey } from '../../../accounts/second-factor/passkeys.ts'
import type { SecondFactor } from '../../../accounts/second-factor/second-factor.ts'
import { codeField, confirmDialog, copyField } from '../../components/fields.ts'
import { type Html, html, nothing, trusted } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { ownerField } from './owner-field.ts'
import { settingsPage } from './settings-page.ts'

/** The form that came back, and why. */
export type Refused = { readonly form: 'app' | 'passkey' | 'codes' | 'off'; readonly problem: string }

type Shown = {
  readonly factor: SecondFactor | undefined
  readonly refused?: Refused | undefined
  readonly done?: string | undefined
  readonly hasPassword: boolean
  readonly passkeys: readonly ListedPasskey[]
}

const path = '/settings/second-factor'

/** What the account has as its second factor, and the forms that change it. */
export function secondFactorPage(t: Texts, { factor, refused, done, hasPassword, passkeys }: Shown): Page {
  const { secondFactor } = t
  const problemOf = (form: Refused['form']) => (refused?.form === form ? refused.problem : undefined)
  return page(
    t,
    html`${outcomeNotice({ done })}
<h2>${secondFactor.title}</h2><p>${secondFactor.about}</p><p><b>${factor ? secondFactor.on : secondFactor.off}</b></p>
${factor?.hasApp ? html`<p>${secondFactor.appAdded}</p>` : addAppCard(t, hasPassword, problemOf('app'))}
${passkeyCard(t, { passkeys, hasPassword, problem: problemOf('passkey') })}
${factor ? html`${codesCard(t, factor, problemOf('codes'))}${offCard(t, problemOf('off'))}` : nothing}`,
  )
}

function addAppCard(t: Texts, hasPassword: boolean, problem: string | undefined): Html {
  const { secondFactor } = t
  return html`<section class="card narrow-left"><h2>${secondFactor.addApp}</h2>${outcomeNotice({ problem })}
<p>${secondFactor.addAppHint}</p>
<form method="post" action="${path}/app">${ownerField(t, hasPassword)}
<button>${t.account.goOn}</button></form></section>`
}

function passkeyCard(
  t: Texts,
  shown: {
    readonly passkeys: readonly ListedPasskey[]
    readonly hasPassword: boolean
    readonly problem: string | undefined
  },
): Html {
  const { common, secondFactor } = t
  const items = shown.passkeys.map(
    ({ id, name, createdAt, usedAt }) => html`<li><h3 id="passkey-${id}"><bdi>${name}</bdi></h3>
<p>${common.created}: ${t.day(createdAt)}. ${t.common.lastUsed}: ${usedAt ? t.day(usedAt) : common.never}.</p>
${confirmDialog(t, {
  label: t.members.remove,
  action: `${path}/passkeys/${id}/remove`,
  confirm: common.remove,
  fields: codeField(secondFactor.anyCode),
  describedBy: `passkey-${id}`,
})}</li>`,
  )
  return html`<section class="card narrow-left"><h2>${secondFactor.passkeys}</h2>
${outcomeNotice({ problem: shown.problem })}<p>${secondFactor.passkeysHint}</p>
${items.length > 0 ? html`<ul class="plain">${items}</ul>` : nothing}
<form method="post" action="${path}/passkeys">${ownerField(t, shown.hasPassword)}
<button>${secondFactor.addPasskey}</button></form></section>`
}

/**
 * The form that makes a passkey.
 * @param shown.options what the browser needs for it.
 * @param shown.until the end of its time (`Registration`).
 */
export function addPasskeyPage(t: Texts, shown: { readonly options: object; readonly until: number }): Page {
  const { common, secondFactor } = t
  const { options, until } = shown
  const made = page(
    t,
    html`<section class="card narrow-left"><h2>${secondFactor.addPasskey}</h2>
<p>${secondFactor.addPasskeyHint}</p><noscript>${secondFactor.needsScripts}</noscript>
<form method="post" action="${path}/passkeys/confirm" hidden data-new data-passkey="${JSON.stringify(options)}"
data-failed="${secondFactor.passkeyFailed}">
<input type="hidden" name="answer"><input type="hidden" name="until" value="${until}">
<label>${common.name} <input name="name" required maxlength="60" autocomplete="off" dir="auto" autofocus></label>
<button>${t.account.goOn}</button></form></section>`,
  )
  return { ...made, scripts: ['passkeys.js'] }
}

function codesCard({ secondFactor }: Texts, factor: SecondFactor, problem: string | undefined): Html {
  return html`<section class="card narrow-left"><h2>${secondFactor.recoveryCodes}</h2>${outcomeNotice({ problem })}
<p>${secondFactor.recoveryLeft(factor.recoveryCodes)} ${secondFactor.replaceHint}</p>
<form method="post" action="${path}/codes">${codeField(secondFactor.anyCode)}
<button>${secondFactor.replaceCodes}</button></form></section>`
}

function offCard({ secondFactor }: Texts, problem: string | undefined): Html {
  return html`<section class="card narrow-left"><h2>${secondFactor.turnOffTitle}</h2>${outcomeNotice({ problem })}
<p>${secondFactor.turnOffHint}</p>
<form method="post" action="${path}/off">${codeField(secondFactor.anyCode)}
<button class="danger">${secondFactor.turnOff}</button></form></section>`
}

/** The QR code and the secret for the app, and the form for its first code. @param qrCode an SVG. */
export function addAppPage(
  t: Texts,
  {
    qrCode,
    secret,
    problem,
  }: { readonly qrCode: string; readonly secret: string; readonly problem?: string },
): Page {
  const { secondFactor } = t
  const grouped = (secret.match(/.{1,4}/g) ?? []).join(' ')
  return page(
    t,
    html`<section class="card narrow-left"><h2>${secondFactor.addApp}</h2>${outcomeNotice({ problem })}
<p>${secondFactor.scan}</p>
<div class="qr" role="img" aria-label="${secondFactor.qrCode}">${trusted(qrCode)}</div>
<p>${secondFactor.cannotScan}</p>${copyField(t, { id: 'secret', text: grouped, what: secondFactor.secret })}
<form method="post" action="${path}/app/confirm">${codeField(secondFactor.code, { hasFocus: true })}
<button>${secondFactor.turnOn}</button></form></section>`,
  )
}

/** The only page that shows the recovery codes. */
export function recoveryCodesPage(t: Texts, codes: readonly string[]): Page {
  const { secondFactor } = t
  return page(
    t,
    html`<section class="card narrow-left"><h2>${secondFactor.recoveryCodes}</h2>
<p>${secondFactor.recoveryAbout}</p>
${copyField(t, { id: 'codes', text: codes.join('\n'), what: secondFactor.recoveryCodes })}
<p><a class="button" href="${path}">${secondFactor.haveKept}</a></p></section>`,
  )
}

function page(t: Texts, main: Html): Page {
  const { title } = t.secondFactor
  const shown = settingsPage(t, { title, path: '/settings/account', scripts: ['copy.js'], main })
  return { ...shown, hasSecret: true }
}
