import type { FastifyReply, FastifyRequest } from 'fastify'
import { findWebSession, touchWebSession } from '../accounts/sign-in/web-sessions.ts'
import { ServiceError } from '../errors.ts'
import { clientAddress } from '../http/connection/client-address.ts'
import { withQuery } from './components/library-links.ts'
import { sendPage } from './components/page.ts'
import { carriedText, isWrittenForm, keptForm } from './kept-forms/kept-form.ts'
import type { WebServices } from './pages/services.ts'
import { signInPage } from './pages/sign-in/sign-in-view.ts'
import { clearCookie, cookieToken } from './visitors/cookies.ts'
import { pageBefore } from './visitors/own-path.ts'
import { textsOf } from './visitors/preferences.ts'
import { principalOfAccount } from './visitors/visitor.ts'

/**
 * Finds who is signed in, if anybody, and counts the request for the account, otherwise for the address. Redirects to
 * the sign-in page when the page requires an account and nobody is signed in. A form that somebody has written in is
 * refused after its body is read, see `refuseWrittenForm`.
 * @throws ServiceError `rate_limit_exceeded`; `not_found` for a page of operators.
 */
export async function requireVisitor(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { page } = request.routeOptions.config
  if (request.url.startsWith('/assets/')) return
  await findVisitor(services, request, reply)
  if (page === 'anyone') return
  if (!request.visitor) {
    if (!isWrittenForm(request)) await reply.redirect(signInAddress(request, services), 303)
    return
  }
  // A page that the account may not open answers 404.
  if (page === 'operator' && !request.visitor.account.operator)
    throw new ServiceError('not_found', 'There is no such page.')
}

/**
 * Refuses a form that somebody has written in, with what was written: nobody is signed in, or the account has loaded
 * too many pages. Does nothing for other requests.
 */
export async function refuseWrittenForm(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.refusal !== undefined) throw request.refusal
  if (request.visitor || request.routeOptions.config.page === 'anyone') return
  const form = keptForm(request)
  const kept = form && carriedText(form)
  if (kept === undefined) return void (await reply.redirect(signInAddress(request, services), 303))
  const t = textsOf(request)
  const page = signInPage(t, services, { kept, note: t.account.ended.kept, next: pageBefore(request) })
  await sendPage(request, reply, page, 403)
}

async function findVisitor(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const token = cookieToken(request, services, 'session')
  const found = token === undefined ? undefined : await findWebSession(services.database.system, token)
  if (token === undefined || !found) {
    if (token !== undefined) clearCookie(request, reply, services, 'session')
    return services.addressLimits.page(clientAddress(request))
  }
  const { account, seenLately } = found
  const principal = principalOfAccount(account, services.plans)
  request.visitor = { account, token, principal }
  request.principal = principal
  try {
    await services.rateLimits.countPage(principal)
  } catch (error) {
    if (!isWrittenForm(request)) throw error
    request.refusal = error
  }
  if (!seenLately) await touchWebSession(services.database.system, token)
}

/** The form to sign in, which leads back; it says when a session has ended, and that a form was not taken. */
function signInAddress(request: FastifyRequest, services: WebServices): string {
  const isPage = request.method === 'GET'
  const hasEnded = cookieToken(request, services, 'session') !== undefined
  const next = isPage ? request.url : pageBefore(request)
  return withQuery('/signin', { next, ended: hasEnded ? (isPage ? 'page' : 'form') : undefined })
}
