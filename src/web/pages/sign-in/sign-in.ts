import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, createAccount, normalEmail } from '../../../accounts/accounts.ts'
import { passwordLength, requireGoodPassword } from '../../../accounts/passwords/password-rules.ts'
import { knownBrowser, knownBrowserToken } from '../../../accounts/sign-in/known-browsers.ts'
import { signIn } from '../../../accounts/sign-in/sign-in.ts'
import { closeWebSession, openWebSession } from '../../../accounts/sign-in/web-sessions.ts'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { doneMessage, problemOf, readFields } from '../../components/forms.ts'
import { anyone } from '../../components/guards.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { notice, sendPage } from '../../components/page.ts'
import {
  clearSessionCookie,
  knownBrowserCookie,
  setKnownBrowserCookie,
  setSessionCookie,
} from '../../visitors/cookies.ts'
import type { WebServices } from '../services.ts'

const credentials = z.object({
  email: z.string().max(254),
  password: z.string().max(1_000),
  /** Paths of the pages are shorter. */
  next: z.string().max(8_000).optional(),
})

const done = {
  'signed-out': 'You are signed out.',
  reset: 'The password has been set. Sign in with it.',
  deleted: 'The account and everything in it has been deleted.',
}

type SignInForm = {
  readonly email?: string
  readonly next?: string | undefined
  readonly problem?: string
  readonly done?: string | undefined
}

/** `/signin`, `/signup`, `/signout`, and `/`, which redirects to one of them or to the question form. */
export function signInPages(app: FastifyInstance, services: WebServices): void {
  app.get('/', anyone, (request, reply) => reply.redirect(request.visitor ? '/ask' : '/signin', 303))

  app.get('/signin', anyone, (request, reply) => {
    const { next } = request.query as { readonly next?: unknown }
    const form = { next: ownPath(next), done: doneMessage(request, done) }
    if (request.visitor) return reply.redirect(form.next ?? '/ask', 303)
    return sendPage(request, reply, signInPage(services, form))
  })

  app.post('/signin', anyone, async (request, reply) => {
    const input = readFields(credentials, request.body)
    const next = ownPath(input.next)
    try {
      await enter(services, request, reply, input)
    } catch (error) {
      const { message, status } = problemOf(error)
      return sendPage(
        request,
        reply,
        signInPage(services, { email: input.email, next, problem: message }),
        status,
      )
    }
    return reply.redirect(next ?? '/ask', 303)
  })

  app.get('/signup', anyone, (request, reply) => {
    if (request.visitor) return reply.redirect('/ask', 303)
    return sendPage(request, reply, signUpPage(services, {}))
  })

  app.post('/signup', anyone, async (request, reply) => {
    const input = readFields(credentials, request.body)
    try {
      const { id } = await makeAccount(services, request, input)
      // The account was created with this password in this request, so the limits of signing in do not apply.
      const token = await openWebSession(services.database.system, id)
      await giveSession(services, request, reply, { email: input.email, token })
    } catch (error) {
      const { message, status } = problemOf(error)
      return sendPage(request, reply, signUpPage(services, { email: input.email, problem: message }), status)
    }
    return reply.redirect('/ask', 303)
  })

  app.post('/signout', anyone, async (request, reply) => {
    if (request.visitor) await closeWebSession(services.database.system, request.visitor.token)
    clearSessionCookie(request, reply, services)
    return reply.redirect('/signin?done=signed-out', 303)
  })
}

/** Accepts only paths of these pages; other values could redirect to another site after signing in. */
function ownPath(text: unknown): string | undefined {
  if (typeof text !== 'string' || !/^\/(?![/\\])[^\s\\]*$/.test(text) || text.length > 2_000) return undefined
  return text
}

/** Checks the password, and gives the browser a session. */
async function enter(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  input: { readonly email: string; readonly password: string },
): Promise<void> {
  const browser = knownBrowser(services.peppers, input.email, knownBrowserCookie(request, services))
  const attempt = { email: input.email, address: clientAddress(request), browser }
  const { token } = await services.signInLimits.guard(attempt, () => signIn(services.database, input))
  await giveSession(services, request, reply, { email: input.email, token })
}

/**
 * Gives the browser a session with a new id and ends its old session. From now on it is a known browser of
 * the account.
 */
async function giveSession(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, token }: { readonly email: string; readonly token: string },
): Promise<void> {
  if (request.visitor) await closeWebSession(services.database.system, request.visitor.token)
  setSessionCookie(request, reply, services, token)
  setKnownBrowserCookie(request, reply, services, knownBrowserToken(services.peppers, email))
}

async function makeAccount(
  services: WebServices,
  request: FastifyRequest,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<Account> {
  const { settings, database, plans } = services
  if (settings.signUp === 'closed') throw new ServiceError('not_found', 'There is no such page.')
  const address = clientAddress(request)
  // The steps that cost CPU time come last: rating the password, then hashing it.
  await services.signInLimits.signUpAttempt(address)
  await requireGoodPassword(password, [normalEmail(email)])
  await services.signInLimits.signUp(address)
  return createAccount(database.system, plans, { email, password, plan: settings.signUpPlan })
}

function signInPage({ settings }: WebServices, form: SignInForm) {
  return {
    title: 'Sign in',
    main: html`<section class="narrow card">
<h1>Sign in</h1>
${form.problem ? notice('problem', form.problem) : form.done ? notice('done', form.done) : nothing}
<form method="post" action="/signin">
${form.next ? html`<input type="hidden" name="next" value="${form.next}">` : nothing}
${emailField(form.email)}
<label>Password <input type="password" name="password" autocomplete="current-password" required></label>
<button>Sign in</button>
</form>
<p class="faint">${settings.signUp === 'open' ? html`New here? <a href="/signup">Make an account</a>.` : 'Accounts are made by whoever runs this service.'}</p>
</section>`,
  }
}

function signUpPage({ settings, plans }: WebServices, form: SignInForm) {
  if (settings.signUp === 'closed') {
    return {
      title: 'Make an account',
      main: html`<section class="narrow card"><h1>Make an account</h1>
<p>Accounts of this service are made by whoever runs it. Ask them for one, then <a href="/signin">sign in</a>.</p></section>`,
    }
  }
  const plan = plans.of(settings.signUpPlan)
  const credits = plan.monthlyMicros / 1_000_000n
  return {
    title: 'Make an account',
    main: html`<section class="narrow card">
<h1>Make an account</h1>
<p>Ask questions about chassidic teachings and read the answers beside their sources. The plan “${plan.name}” gives ${credits} credits a month${plan.apiAccess ? '' : ' for questions in these pages; the API needs another plan'}.</p>
${form.problem ? notice('problem', form.problem) : nothing}
<form method="post" action="/signup">
${emailField(form.email)}
<label>Password <input type="password" name="password" autocomplete="new-password" minlength="${passwordLength.min}" required aria-describedby="rule"></label>
<p class="hint" id="rule">At least ${passwordLength.min} characters. A few unrelated words make a good one.</p>
<button>Make the account</button>
</form>
<p class="faint">You have one? <a href="/signin">Sign in</a>.</p>
</section>`,
  }
}

function emailField(email: string | undefined): Html {
  return html`<label>E-mail address <input type="email" name="email" autocomplete="username" required value="${email ?? ''}" dir="ltr"></label>`
}
