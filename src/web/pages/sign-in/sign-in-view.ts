import type { Plan } from '../../../accounts/plans.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import type { WebServices } from '../services.ts'
import { newPasswordField } from './new-password-field.ts'

type SignInForm = {
  readonly email?: string
  /** Where signing in leads. */
  readonly next?: string | undefined
  readonly problem?: string
  readonly done?: string | undefined
}

/** The form to sign in. */
export function signInPage({ settings }: WebServices, form: SignInForm): Page {
  return {
    title: 'Sign in',
    main: html`<section class="narrow card">
<h1>Sign in</h1>
${outcomeNotice(form)}
<form method="post" action="/signin">
${form.next ? html`<input type="hidden" name="next" value="${form.next}">` : nothing}
${emailField(form.email)}
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>
<p class="faint">${settings.signUp === 'open' ? newHere : 'The operator of this service creates accounts.'}</p>
</section>`,
  }
}

const newHere = html`New here? <a href="/signup">Create account</a>`

/** The form for a new account; without it when sign-up is closed. */
export function signUpPage({ settings, plans }: WebServices, form: SignInForm): Page {
  if (settings.signUp === 'closed') return signUpClosed
  return {
    title: 'Create account',
    main: html`<section class="narrow card">
<h1>Create account</h1>
<p>Ask questions about chassidic teachings and read the answers next to their sources.
${planText(plans.of(settings.signUpPlan))}</p>
${outcomeNotice({ problem: form.problem })}
<form method="post" action="/signup">
${emailField(form.email)}
${newPasswordField('Password', 'password')}
<button>Create account</button>
</form>
<p class="faint">Already have an account? <a href="/signin">Sign in</a></p>
</section>`,
  }
}

const signUpClosed: Page = {
  title: 'Create account',
  main: html`<section class="narrow card"><h1>Create account</h1>
<p>The operator of this service creates accounts. Ask them for one, then <a href="/signin">sign in</a>.</p></section>`,
}

function planText({ name, monthlyMicros, apiAccess }: Plan): string {
  const credits = `The plan “${name}” gives ${monthlyMicros / 1_000_000n} credits per month`
  return apiAccess ? `${credits}.` : `${credits} for questions on these pages; the API needs another plan.`
}

function emailField(email: string | undefined): Html {
  return html`<label>E-mail address
<input type="email" name="email" autocomplete="username" required value="${email ?? ''}" dir="ltr"></label>`
}
