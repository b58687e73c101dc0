import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import type { Plan } from '../../../accounts/plans.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { notice, outcomeNotice, type Page } from '../../components/page.ts'
import type { KeptForm } from '../../kept-forms/kept-form.ts'
import { carriedField, keptFormView } from '../../kept-forms/kept-form-view.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { WebServices, WebSettings } from '../services.ts'

type SignInForm = {
  readonly email?: string
  /** Where signing in leads. */
  readonly next?: string | undefined
  readonly problem?: string
  readonly done?: string | undefined
  /** Why the reader has to sign in again. */
  readonly note?: string | undefined
  /** A form that was refused because nobody was signed in, see `carriedText`. */
  readonly kept?: string | undefined
}

/** The form to sign in. */
export function signInPage(t: Texts, { settings }: WebServices, form: SignInForm): Page {
  const { account, common } = t
  return {
    title: account.signIn,
    main: html`<section class="narrow card">
<h1>${account.signIn}</h1>
${outcomeNotice(form)}${questionNote(t, form)}${form.note ? notice('note', form.note) : nothing}
<form method="post" action="/signin">
${carriedField(form.kept)}${nextField(form)}${emailField(t, form.email)}
<label>${common.password}
<input type="password" name="password" autocomplete="current-password" required${focusIf(Boolean(form.email))}></label>
<button>${account.signIn}</button>
</form>
${providerButtons(t, settings, form)}
${settings.mailer ? html`<p class="faint"><a href="/forgot-password">${account.forgot}</a></p>` : nothing}
<p class="faint">${
      settings.signUp === 'open'
        ? account.newHere(withQuery('/signup', { next: form.next }))
        : account.operatorCreates
    }</p>
</section>`,
  }
}

/** A form that was refused before the sign-in. It is shown, and never sent without the person. */
export function formBackPage(t: Texts, form: KeptForm): Page {
  const { errors } = t
  return {
    title: errors.backAgain,
    main: html`<h1>${errors.backAgain}</h1><p>${errors.backAgainHint}</p>${keptFormView(t, form)}`,
  }
}

/** The form for a new account; without it when sign-up is closed. */
export function signUpPage(t: Texts, { settings, plans }: WebServices, form: SignInForm): Page {
  const { account, common } = t
  if (settings.signUp !== 'open') return signUpClosed(t)
  return {
    title: account.signUp,
    main: html`<section class="narrow card">
<h1>${account.signUp}</h1>
<p>${account.about}
${planText(t, plans.of(settings.signUpPlan))}</p>
${outcomeNotice({ problem: form.problem })}${questionNote(t, form)}
<form method="post" action="/signup">
${nextField(form)}${emailField(t, form.email)}
${newPasswordField(t, common.password, 'password')}
<button>${account.signUp}</button>
</form>
${providerButtons(t, settings, form)}
<p class="faint">${account.haveAccount(withQuery('/signin', { next: form.next }))}</p>
</section>`,
  }
}

function signUpClosed({ account }: Texts): Page {
  return {
    title: account.signUp,
    main: html`<section class="narrow card"><h1>${account.signUp}</h1>
<p>${account.closed}</p></section>`,
  }
}

function planText({ account, common }: Texts, { name, monthlyMicros, apiAccess }: Plan): string {
  const plan = common.planName(name)
  const credits = monthlyMicros / 1_000_000n
  return apiAccess ? account.planGives(plan, credits) : account.planGivesPages(plan, credits)
}

/** The first field of its page. It has the focus unless it is filled. */
export function emailField({ common }: Texts, email = ''): Html {
  return html`<label>${common.email}
<input type="email" name="email" autocomplete="username" required value="${email}"
dir="ltr"${focusIf(email === '')}></label>`
}

const focusIf = (hasFocus: boolean) => (hasFocus ? html` autofocus` : nothing)

/** A button per OpenID Connect provider, which leads to it; nothing without providers. */
function providerButtons(
  { account }: Texts,
  { providers }: WebSettings,
  after: { readonly next?: string | undefined; readonly kept?: string | undefined },
): Html {
  if (!providers || providers.size === 0) return nothing
  const forms = [...providers.values()].map(
    ({ id, label }) =>
      html`<form method="post" action="/signin/with/${id}">${carriedField(after.kept)}${nextField(after)}
<button class="quiet">${account.signInWith(label)}</button></form>`,
  )
  return html`<p class="faint">${account.or}</p><div class="providers">${forms}</div>`
}

/** The field for a new password, with the rule that it has to meet. */
export function newPasswordField({ account }: Texts, label: string, name: string): Html {
  return html`<label>${label} <input type="password" name="${name}" autocomplete="new-password"
minlength="${passwordLength.min}" required aria-describedby="rule"></label>
<p class="hint" id="rule">${account.passwordRule(passwordLength.min)}</p>`
}

/** Where the sign-in leads, as a hidden field; nothing without it. */
export function nextField({ next }: { readonly next?: string | undefined }): Html {
  return next ? html`<input type="hidden" name="next" value="${next}">` : nothing
}

/** What a visitor has asked before the sign-in: `/ask` with a question, and with nothing else. */
export function questionOf(next: string | undefined): string | undefined {
  const [path, query = ''] = (next ?? '').split('?')
  const fields = new URLSearchParams(query)
  const question = fields.get('question')?.trim()
  return path === '/ask' && fields.size === 1 && question ? question : undefined
}

/** Says that the question is sent with the sign-in, and shows it; nothing without one. */
function questionNote({ account }: Texts, { next }: { readonly next?: string | undefined }): Html {
  const question = questionOf(next)
  return question === undefined ? nothing : notice('note', account.askedNext(question))
}
