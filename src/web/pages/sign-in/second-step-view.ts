import { codeField } from '../../components/fields.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import { carriedField } from '../../kept-forms/kept-form-view.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { nextField } from './sign-in-view.ts'

/** What the sign-in goes on with when it is finished. */
export type AfterSignIn = {
  readonly next?: string | undefined
  /** A form that was refused because nobody was signed in, see `carriedText`. */
  readonly kept?: string | undefined
}

/** The step of a sign-in that asks for the second factor. @param options what the browser needs to use a passkey. */
export function secondStepPage(
  t: Texts,
  after: AfterSignIn,
  options: object | undefined,
  problem?: string,
): Page {
  const { account, secondFactor } = t
  return {
    title: secondFactor.stepTitle,
    scripts: options ? ['passkeys.js'] : [],
    main: html`<section class="narrow card"><h1>${secondFactor.stepTitle}</h1>
${outcomeNotice({ problem })}
${options ? passkeyForm(t, after, options) : nothing}
<p>${secondFactor.stepHint}</p>
<form method="post" action="/signin/code">
${carriedField(after.kept)}${nextField(after)}${codeField(secondFactor.anyCode, { hasFocus: true })}
<button>${account.signIn}</button></form>
<p class="faint">${secondFactor.startAgain}</p></section>`,
  }
}

/** The step of a sign-in to an account that its owner has closed: keeping it. */
export function closedPage(t: Texts, after: AfterSignIn, dueAt: Date | null, problem?: string): Page {
  const { account, secondFactor } = t
  return {
    title: account.closedTitle,
    main: html`<section class="narrow card"><h1>${account.closedTitle}</h1>
${outcomeNotice({ problem })}
${dueAt ? html`<p>${account.deletedOn(t.day(dueAt))}</p>` : nothing}
<form method="post" action="/signin/keep">${carriedField(after.kept)}${nextField(after)}
<button>${account.keepAccount}</button></form>
<p class="faint">${secondFactor.startAgain}</p></section>`,
  }
}

function passkeyForm({ secondFactor }: Texts, after: AfterSignIn, options: object): Html {
  return html`<form method="post" action="/signin/code" hidden data-passkey="${JSON.stringify(options)}"
data-failed="${secondFactor.passkeyFailed}">
${carriedField(after.kept)}${nextField(after)}<input type="hidden" name="answer">
<button>${secondFactor.usePasskey}</button></form>`
}
