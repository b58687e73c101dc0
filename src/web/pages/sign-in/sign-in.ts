import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, createAccount, keepLanguage, newEmail } from '../../../accounts/accounts.ts'
import { requireGoodPassword } from '../../../accounts/passwords/password-rules.ts'
import { hashPassword } from '../../../accounts/passwords/passwords.ts'
import { knownBrowser, knownBrowserToken } from '../../../accounts/sign-in/known-browsers.ts'
import { createMailedLink, linkHours } from '../../../accounts/sign-in/mailed-links.ts'
import { signIn } from '../../../accounts/sign-in/sign-in.ts'
import { closeWebSession, findWebSession, openWebSession } from '../../../accounts/sign-in/web-sessions.ts'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { letter } from '../../../mail/letters.ts'
import type { Mailer } from '../../../mail/mailer.ts'
import { doneMessage, problemOf, readFields } from '../../components/forms.ts'
import { withQuery } from '../../components/library-links.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { readCarried } from '../../kept-forms/kept-form.ts'
import {
  clearSessionCookie,
  knownBrowserCookie,
  setKnownBrowserCookie,
  setSessionCookie,
} from '../../visitors/cookies.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { principalOfAccount } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { checkMailPage, resetLetter } from './forgot-password.ts'
import { formBackPage, signInPage, signUpPage } from './sign-in-view.ts'

const credentials = z.object({
  /** Checked by the sign-in, because a refusal here would lose what was typed. */
  email: z.string().max(8_000),
  password: z.string().max(1_000),
  /** Takes back the deletion of a closed account. */
  keep: z.literal('yes').optional(),
  /** Paths of the pages are shorter. */
  next: z.string().max(8_000).optional(),
  /** A form that was refused because nobody was signed in. */
  kept: z.string().max(400_000).optional(),
})

/** `/signin`, `/signup` and `/signout`. */
export function signInPages(app: FastifyInstance, services: WebServices): void {
  app.get('/signin', openToAll, (request, reply) => {
    const { next, ended } = request.query as { readonly next?: unknown; readonly ended?: unknown }
    const { account } = textsOf(request)
    const note = ended === 'page' || ended === 'form' ? account.ended[ended] : undefined
    const form = { next: ownPath(next), done: doneMessage(request, account.done), note }
    if (request.visitor) return reply.redirect(form.next ?? '/ask', 303)
    return sendPage(request, reply, signInPage(textsOf(request), services, form))
  })

  app.post('/signin', openToAll, async (request, reply) => {
    const input = readFields(credentials, request.body)
    const next = ownPath(input.next)
    const { email, kept } = input
    try {
      await enter(services, request, reply, input)
    } catch (error) {
      const { message: problem, status, param } = problemOf(request, error)
      const form = { email, next, kept, problem, isClosed: param === 'keep' }
      const page = signInPage(textsOf(request), services, form)
      return sendPage(request, reply, page, status)
    }
    const form = readCarried(kept)
    if (form) return sendPage(request, reply, formBackPage(textsOf(request), form))
    return reply.redirect(next ?? '/ask', 303)
  })

  app.get('/signup', openToAll, (request, reply) => {
    const next = ownPath((request.query as { readonly next?: unknown }).next)
    if (request.visitor) return reply.redirect(next ?? '/ask', 303)
    return sendPage(request, reply, signUpPage(textsOf(request), services, { next }))
  })

  app.post('/signup', openToAll, async (request, reply) => {
    const input = readFields(credentials, request.body)
    const next = ownPath(input.next)
    try {
      if (services.settings.mailer) {
        await mailSignUp(services, services.settings.mailer, request, { ...input, next })
        return await sendPage(request, reply, checkMailPage(textsOf(request)))
      }
      const { id } = await signUp(services, request, input)
      // The password was set just now: this is no guess, so the sign-in limits do not apply.
      const token = await openWebSession(services.database.system, id)
      await giveSession(services, request, reply, { email: input.email, token })
    } catch (error) {
      const { message, status } = problemOf(request, error)
      return sendPage(
        request,
        reply,
        signUpPage(textsOf(request), services, { email: input.email, next, problem: message }),
        status,
      )
    }
    return reply.redirect(next ?? '/ask', 303)
  })

  app.post('/signout', openToAll, async (request, reply) => {
    if (request.visitor) await closeWebSession(services.database.system, request.visitor.token)
    clearSessionCookie(request, reply, services)
    return reply.redirect('/signin?done=signed-out', 303)
  })
}

/** Checks the password, and gives the browser a session. */
async function enter(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  input: { readonly email: string; readonly password: string; readonly keep?: 'yes' | undefined },
): Promise<void> {
  const browser = knownBrowser(services.peppers, input.email, knownBrowserCookie(request, services))
  const attempt = { email: input.email, address: clientAddress(request), browser }
  const { token } = await services.signInLimits.guard(attempt, () =>
    signIn(services.database, { ...input, keep: input.keep === 'yes', address: attempt.address }),
  )
  await giveSession(services, request, reply, { email: input.email, token })
  const { mailer } = services.settings
  const account = request.visitor?.account
  if (!mailer || !account || browser !== undefined) return
  const from = { address: attempt.address, at: new Date() }
  const told = letter('signedIn', textsOf(request).language, mailer.product, from)
  mailer.post(async () => ({ to: account.email, letter: told }))
}

/**
 * Gives the browser a session with a new id and ends its old session. From now on it is a known browser of
 * the account.
 */
export async function giveSession(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { email, token }: { readonly email: string; readonly token: string },
): Promise<void> {
  if (request.visitor) await closeWebSession(services.database.system, request.visitor.token)
  await showSignedIn(services, request, token)
  if (request.visitor)
    await keepLanguage(services.database.system, request.visitor.account.id, textsOf(request).language)
  setSessionCookie(request, reply, services, token)
  setKnownBrowserCookie(request, reply, services, knownBrowserToken(services.peppers, email))
}

/** The reply shows the account: a page that comes with the sign-in has its frame. */
async function showSignedIn(services: WebServices, request: FastifyRequest, token: string): Promise<void> {
  const found = await findWebSession(services.database.system, token)
  if (!found) return
  const principal = principalOfAccount(found.account, services.plans)
  request.visitor = { account: found.account, token, principal }
}

type NewAccount = { readonly email: string; readonly password: string; readonly next?: string | undefined }

async function signUp(services: WebServices, request: FastifyRequest, input: NewAccount): Promise<Account> {
  await requireSignUp(services, request, input)
  return createAccount(services.database.system, services.plans, {
    ...input,
    plan: services.settings.signUpPlan,
  })
}

async function requireSignUp(
  { settings, signInLimits }: WebServices,
  request: FastifyRequest,
  { email, password }: NewAccount,
): Promise<void> {
  if (settings.signUp === 'closed') throw new ServiceError('not_found', 'There is no such page.')
  const address = clientAddress(request)
  // The steps that cost CPU time come last: rating the password, then hashing it.
  await signInLimits.signUpAttempt(address)
  await requireGoodPassword(password, [newEmail(email)])
  await signInLimits.signUp(address)
}

/** Mails the link that creates the account. An address that has one gets another letter, and the reply is the same. */
async function mailSignUp(
  services: WebServices,
  mailer: Mailer,
  request: FastifyRequest,
  input: NewAccount,
): Promise<void> {
  await requireSignUp(services, request, input)
  const { database, signInLimits } = services
  const { email } = input
  const passwordHash = await hashPassword(input.password)
  const { language } = textsOf(request)
  mailer.post(async () => {
    if (!(await signInLimits.mayMail(email))) return undefined
    const taken = await resetLetter(database, mailer, email, 'addressTaken')
    if (taken) return taken
    const token = await createMailedLink(database.system, { kind: 'account', email, passwordHash })
    const url = mailer.url(withQuery(`/confirm/${token}`, { next: input.next }))
    return {
      to: newEmail(email),
      letter: letter('confirmAddress', language, mailer.product, { url, hours: linkHours }),
    }
  })
}
