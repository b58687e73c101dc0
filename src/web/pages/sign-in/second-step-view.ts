import { codeField } from '../../components/fields.ts'
import { html } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import { carriedField } from '../../kept-forms/kept-form-view.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { nextField } from './next-field.ts'

/** What the sign-in goes on with when it is finished. */
export type AfterSignIn = {
  readonly next?: string | undefined
  /** A form that was refused because nobody was signed in, see `carriedText`. */
  readonly kept?: string | undefined
}

/** The step of a sign-in that asks for the second factor. */
export function secondStepPage(t: Texts, after: AfterSignIn, problem?: string): Page {
  const { account, secondFactor } = t
  return {
    title: secondFactor.stepTitle,
    main: html`<section class="narrow card"><h1>${secondFactor.stepTitle}</h1>
${outcomeNotice({ problem })}
<p>${secondFactor.stepHint}</p>
<form method="post" action="/signin/code">
${carriedField(after.kept)}${nextField(after)}${codeField(secondFactor.anyCode, { hasFocus: true })}
<button>${account.signIn}</button></form>
<p class="faint">${secondFactor.startAgain}</p></section>`,
  }
}
