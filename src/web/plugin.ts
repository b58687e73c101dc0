import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { findWebSession, touchWebSession } from '../accounts/sign-in/web-sessions.ts'
import { errorTable, ServiceError } from '../errors.ts'
import { clientAddress } from '../http/connection/client-address.ts'
import { asServiceError, logFailure } from '../http/error-handler.ts'
import type { ApiDescription } from '../http/openapi/document.ts'
import { registerAssets } from './assets.ts'
import { registerFormBody } from './components/forms.ts'
import { html } from './components/html.ts'
import { withQuery } from './components/library-links.ts'
import { sendPage } from './components/page.ts'
import { openToAll } from './components/route-guards.ts'
import { conversationPages } from './pages/ask/conversation.ts'
import { exportPages } from './pages/exports/exports.ts'
import { feedbackPages } from './pages/feedback/feedback.ts'
import { filePages } from './pages/files/files.ts'
import { keyPages } from './pages/keys/keys.ts'
import { landingPages } from './pages/landing/landing.ts'
import { libraryPages } from './pages/library/library.ts'
import { readerPages } from './pages/library/reader/reader.ts'
import { operatorPages } from './pages/operator/operator.ts'
import { previewPages } from './pages/previews/previews.ts'
import { projectPages } from './pages/projects/projects.ts'
import { referencePages } from './pages/reference/reference.ts'
import { runPages } from './pages/runs/runs.ts'
import type { WebServices } from './pages/services.ts'
import { accountPages } from './pages/settings/account.ts'
import { preferencePages } from './pages/settings/preferences.ts'
import { sharingPages } from './pages/sharing/sharing.ts'
import { sheetPages } from './pages/sheets/sheets.ts'
import { resetPasswordPage } from './pages/sign-in/reset-password.ts'
import { signInPages } from './pages/sign-in/sign-in.ts'
import { usagePages } from './pages/usage/usage.ts'
import { clearSessionCookie, sessionToken } from './visitors/cookies.ts'
import { ownPath } from './visitors/own-path.ts'
import { textsOf } from './visitors/preferences.ts'
import { requireSameOrigin } from './visitors/same-origin.ts'
import { pageHeaders } from './visitors/security-headers.ts'
import { principalOfAccount } from './visitors/visitor.ts'

/** The pages for people: the functions of the API, with a session instead of a key. */
export async function webPages(
  app: FastifyInstance,
  services: WebServices,
  api: ApiDescription,
): Promise<void> {
  await app.register(cookie)
  registerFormBody(app)
  app.decorateRequest('visitor', null)
  app.addHook('onRoute', (route) => {
    if (!route.config?.page)
      throw new Error(`the page ${route.method} ${route.url} does not say who may open it`)
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(pageHeaders)
    requireSameOrigin(request, services.appUrl)
    await admitVisitor(services, request, reply)
  })
  app.addHook('preValidation', async (request) => {
    // No id contains the NUL character, and Postgres refuses it.
    if (Object.values(request.params ?? {}).some((value) => String(value).includes('\0')))
      throw new ServiceError('not_found', 'There is no such page.')
  })
  app.addHook('onSend', async (_request, reply) => {
    // Headers are ASCII only, but the target after a sign-in comes from a URL.
    const location = reply.getHeader('location')
    if (typeof location === 'string') reply.header('location', asciiAddress(location))
  })
  app.setErrorHandler((error, request, reply) =>
    sendErrorPage(request, reply, asServiceError(error, request)),
  )

  const { path, stylesOf } = await registerAssets(app)
  app.decorate('pages', { appName: services.appName, assets: path, stylesOf })
  preferencePages(app)
  landingPages(app, services)
  signInPages(app, services)
  resetPasswordPage(app, services)
  keyPages(app, services)
  accountPages(app, services)
  conversationPages(app, services)
  runPages(app, services)
  sharingPages(app, services)
  exportPages(app, services)
  feedbackPages(app, services)
  projectPages(app, services)
  filePages(app, services)
  libraryPages(app, services)
  previewPages(app, services)
  readerPages(app, services)
  sheetPages(app, services)
  usagePages(app, services)
  operatorPages(app, services)
  referencePages(app, services, api)
  app.get('/*', openToAll, unknownPage)
}

/** The same URL, with all characters that are not visible ASCII percent-encoded. */
function asciiAddress(address: string): string {
  return address.toWellFormed().replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

/** Sends people a page, and programs the JSON error of unknown routes. */
function unknownPage(request: FastifyRequest, reply: FastifyReply): void {
  const forPeople = request.headers.accept?.includes('text/html') === true && !request.url.startsWith('/v1')
  if (forPeople) throw new ServiceError('not_found', 'There is no such page.')
  reply.callNotFound()
}

/**
 * Finds who is signed in, if anybody, and counts the request for the account, otherwise for the address. Redirects to
 * the sign-in page when the page requires an account and nobody is signed in.
 * @throws ServiceError `rate_limit_exceeded`; `not_found` for a page of operators.
 */
async function admitVisitor(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { page } = request.routeOptions.config
  if (request.url.startsWith('/assets/')) return
  const token = sessionToken(request, services)
  const found = token === undefined ? undefined : await findWebSession(services.database.system, token)
  if (token !== undefined && found) {
    const { account, seenLately } = found
    const principal = principalOfAccount(account, services.plans)
    request.visitor = { account, token, principal }
    request.principal = principal
    await services.rateLimits.countPage(principal)
    if (!seenLately) await touchWebSession(services.database.system, token)
  } else {
    if (token !== undefined) clearSessionCookie(request, reply, services)
    await services.addressLimits.page(clientAddress(request))
  }
  if (page === 'anyone') return
  if (!request.visitor) {
    return void (await reply.redirect(signInAddress(request, token !== undefined), 303))
  }
  // A page that the account may not open answers 404.
  if (page === 'operator' && !request.visitor.account.operator)
    throw new ServiceError('not_found', 'There is no such page.')
}

/** The form to sign in, which leads back; it says when a session has ended, and that a form was not taken. */
function signInAddress(request: FastifyRequest, hasEnded: boolean): string {
  const isPage = request.method === 'GET'
  const next = isPage ? request.url : pageBefore(request)
  return withQuery('/signin', { next, ended: hasEnded ? (isPage ? 'page' : 'form') : undefined })
}

/** The page whose form was sent, if the browser says which one. `requireSameOrigin` has made sure that it is ours. */
function pageBefore({ headers: { referer } }: FastifyRequest): string | undefined {
  const page = referer === undefined ? null : URL.parse(referer)
  return page ? ownPath(`${page.pathname}${page.search}`) : undefined
}

/** Every failure in words, with a link to go on. */
function sendErrorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  error: ServiceError,
): Promise<FastifyReply> {
  const { status } = errorTable[error.code]
  logFailure(request, reply, error)
  if (error.retryAfterSeconds !== undefined) reply.header('retry-after', error.retryAfterSeconds)
  const { errors, translate } = textsOf(request)
  const title = errors.titles[status] ?? errors.anyTitle
  const message = error.code === 'not_found' ? errors.notFound : translate(error.message)
  const main = html`<section class="narrow"><h1>${title}</h1><p>${message}</p>
<p><a class="button" href="/">${errors.startPage}</a></p><p class="faint">${errors.request(request.id)}</p></section>`
  return sendPage(request, reply, { title, main }, status)
}
