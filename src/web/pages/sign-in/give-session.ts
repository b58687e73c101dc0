import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { keepLanguage, newEmail } from '../../../accounts/accounts.ts'
import { requireGoodPassword } from '../../../accounts/passwords/password-rules.ts'
import { isOfDomain } from '../../../accounts/providers/enter-by-provider.ts'
import { knownBrowser, knownBrowserToken } from '../../../accounts/sign-in/known-browsers.ts'
import type { Origin } from '../../../accounts/sign-in/sign-in-steps.ts'
import { closeWebSession, findWebSession } from '../../../accounts/sign-in/web-sessions.ts'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { letter } from '../../../mail/letters.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { readCarried } from '../../kept-forms/kept-form.ts'
import { cookieToken, setCookie } from '../../visitors/cookies.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { SignInAttempt } from '../../visitors/sign-in-limits.ts'
import { visitorWith } from '../../visitors/visitor.ts'
import { askingBy, askVisitorsQuestion } from '../ask/ask-question.ts'
import type { WebServices } from '../services.ts'
import type { AfterSignIn } from './second-step-view.ts'
import { formBackPage, questionOf } from './sign-in-view.ts'

/**
 * Goes on after a sign-in: to the form that it interrupted, to the answer of a visitor's question, or to the page
 * that it
 * was for. The form to sign in has shown that question; it is kept in the box if it cannot be asked.
 */
export async function continueSignIn(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { next, kept }: AfterSignIn,
): Promise<FastifyReply> {
  const form = readCarried(kept)
  if (form) return sendPage(reply, formBackPage(textsOf(request), form))
  const question = questionOf(next)
  if (question === undefined || !request.visitor) return reply.redirect(next ?? '/ask', 303)
  try {
    const { principal } = request.visitor
    const run = await askVisitorsQuestion(services, principal, question, askingBy(services, request, reply))
    return await reply.redirect(`/sessions/${run.sessionId}#last`, 303)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return reply.redirect(next ?? '/ask', 303)
  }
}

const afterForm = z.object({
  /** Paths of the pages are shorter. */
  next: z.string().max(8_000).optional(),
  kept: z.string().max(400_000).optional(),
})

/** What a form of the sign-in carries to its end. */
export function afterOf(request: FastifyRequest): AfterSignIn {
  const { next, kept } = readFields(afterForm, request.body)
  return { next: ownPath(next), kept }
}

/** Who tries to sign in to the account with this address. */
export function attemptBy(services: WebServices, request: FastifyRequest, email: string): SignInAttempt {
  const browser = knownBrowser(services.peppers, email, cookieToken(request, services, 'known'))
  return { email, address: clientAddress(request), browser }
}

/** Where a sign-in comes from. */
export function originOfSignIn(request: FastifyRequest): Origin {
  return { address: clientAddress(request), agent: agentOf(request) }
}

/** Like `giveSession`, and mails a notice if the browser is new to the account. */
export async function giveSessionWithNotice(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  session: { readonly email: string; readonly token: string },
): Promise<void> {
  const { address, browser } = attemptBy(services, request, session.email)
  await giveSession(services, request, reply, session)
  const { mailer } = services.settings
  const account = request.visitor?.person
  if (!mailer || !account || browser !== undefined) return
  const told = letter('signedIn', textsOf(request).language, mailer.product, { address, at: new Date() })
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
    await keepLanguage(services.database.system, request.visitor.person.id, textsOf(request).language)
  setCookie(reply, services, 'session', token)
  setCookie(reply, services, 'known', knownBrowserToken(services.peppers, email))
}

/** What the browser calls itself; empty if it says nothing. */
export function agentOf({ headers }: FastifyRequest): string {
  return headers['user-agent'] ?? ''
}

/** The reply shows the account: a page that comes with the sign-in has its frame. */
async function showSignedIn(services: WebServices, request: FastifyRequest, token: string): Promise<void> {
  const found = await findWebSession(services.database.system, token)
  if (!found) return
  request.visitor = visitorWith(found, token, services.plans)
}

/**
 * Checks address and password of a new account, and counts it before it is created.
 * @throws ServiceError `invalid_value`, `rate_limit_exceeded`.
 */
export async function countSignUp(
  { settings, signInLimits }: WebServices,
  request: FastifyRequest,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const domains = settings.signUpDomains ?? []
  if (!isOfDomain(email, domains)) {
    const message = `Only addresses of ${domains.join(', ')} can have an account here.`
    throw new ServiceError('invalid_value', message, { param: 'email' })
  }
  const address = clientAddress(request)
  // The steps that cost CPU time come last: rating the password, then hashing it.
  await signInLimits.signUpAttempt(address)
  await requireGoodPassword(password, [newEmail(email)])
  await signInLimits.signUp(address)
}
