import type { FastifyReply, FastifyRequest } from 'fastify'
import { actFor } from '../accounts/members/acting.ts'
import { hasRole, type MemberRole } from '../accounts/members/members.ts'
import { findWebSession, type SignedIn, touchWebSession } from '../accounts/sign-in/web-sessions.ts'
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
import { visitorOf, visitorWith } from './visitors/visitor.ts'

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
  const { page, role = 'viewer' } = request.routeOptions.config
  if (request.url.startsWith('/assets/')) return
  const found = await findVisitor(services, request, reply)
  if (page === 'anyone') return
  if (!request.visitor) {
    if (!isWrittenForm(request)) await reply.redirect(signInAddress(request, services), 303)
    return
  }
  // A page that the account may not open answers 404.
  if (page === 'operator' && !request.visitor.person.operator)
    throw new ServiceError('not_found', 'There is no such page.')
  if (found?.hasLostAccount) await leaveLostAccount(services, request)
  else if (
    page === 'account' &&
    role !== 'person' &&
    role !== 'viewer' &&
    !hasRole(request.visitor.role, role)
  )
    refuse(request, new ServiceError('missing_scope', refusals[role]))
}

const refusals: Readonly<Record<Exclude<MemberRole, 'viewer'>, string>> = {
  owner: 'Only owners of this account can do this. Ask one of them.',
  admin: 'Only owners and admins of this account can do this. Ask one of them.',
  member:
    'As a viewer of this account you can read, and change nothing. Ask an owner or admin for another role.',
}

/** Refuses a request; a form that somebody has written in is read first. */
function refuse(request: FastifyRequest, error: unknown): void {
  if (!isWrittenForm(request)) throw error
  request.refusal = error
}

/**
 * The person was removed from the account, or it was suspended. This request may be meant for that account, so it does
 * nothing; the next one acts for the own account.
 */
async function leaveLostAccount({ database }: WebServices, request: FastifyRequest): Promise<void> {
  const { token, person } = visitorOf(request)
  await actFor(database.system, token, { personId: person.id, accountId: person.id })
  refuse(
    request,
    new ServiceError(
      'missing_scope',
      'You can no longer act for the account that you acted for. From now on you act for your own account.',
    ),
  )
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
  await sendPage(reply, page, 403)
}

async function findVisitor(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SignedIn | undefined> {
  const token = cookieToken(request, services, 'session')
  const found = token === undefined ? undefined : await findWebSession(services.database.system, token)
  if (token === undefined || !found) {
    if (token !== undefined) clearCookie(reply, services, 'session')
    await services.addressLimits.page(clientAddress(request))
    return undefined
  }
  const visitor = visitorWith(found, token, services.plans)
  const { principal } = visitor
  request.visitor = visitor
  request.principal = principal
  try {
    await services.rateLimits.countPage(principal)
  } catch (error) {
    refuse(request, error)
  }
  if (!found.seenLately) await touchWebSession(services.database.system, token)
  return found
}

/** The form to sign in, which leads back; it says when a session has ended, and that a form was not taken. */
function signInAddress(request: FastifyRequest, services: WebServices): string {
  const isPage = request.method === 'GET'
  const hasEnded = cookieToken(request, services, 'session') !== undefined
  const next = isPage ? request.url : pageBefore(request)
  return withQuery('/signin', { next, ended: hasEnded ? (isPage ? 'page' : 'form') : undefined })
}
