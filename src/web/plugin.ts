import cookie from '@fastify/cookie'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../errors.ts'
import { asServiceError } from '../http/error-handler.ts'
import type { ApiDescription } from '../http/openapi/document.ts'
import { registerAssets } from './assets.ts'
import { registerFormBody } from './components/forms.ts'
import { checkGuard, openToAll } from './components/route-guards.ts'
import { sendErrorPage } from './error-page.ts'
import { alertPages } from './pages/alerts/alerts.ts'
import { conversationPages } from './pages/ask/conversation.ts'
import { exportPages } from './pages/exports/exports.ts'
import { feedbackPages } from './pages/feedback/feedback.ts'
import { filePages } from './pages/files/files.ts'
import { keyPages } from './pages/keys/keys.ts'
import { landingPages } from './pages/landing/landing.ts'
import { libraryPages } from './pages/library/library.ts'
import { readerPages } from './pages/library/reader/reader.ts'
import { invitationPages } from './pages/members/invitation.ts'
import { memberPages } from './pages/members/members.ts'
import { operatorPages } from './pages/operator/operator.ts'
import { previewPages } from './pages/previews/previews.ts'
import { projectPages } from './pages/projects/projects.ts'
import { referencePages } from './pages/reference/reference.ts'
import { runPages } from './pages/runs/runs.ts'
import type { WebServices } from './pages/services.ts'
import { accountPages, signInListPages } from './pages/settings/account.ts'
import { preferencePages } from './pages/settings/preferences.ts'
import { secondFactorPages } from './pages/settings/second-factor.ts'
import { sharingPages } from './pages/sharing/sharing.ts'
import { sheetPages } from './pages/sheets/sheets.ts'
import { confirmPage } from './pages/sign-in/confirm.ts'
import { forgotPasswordPage } from './pages/sign-in/forgot-password.ts'
import { providerSignInPages } from './pages/sign-in/provider-sign-in.ts'
import { resetPasswordPage } from './pages/sign-in/reset-password.ts'
import { secondStepPages } from './pages/sign-in/second-step.ts'
import { signInPages } from './pages/sign-in/sign-in.ts'
import { usagePages } from './pages/usage/usage.ts'
import { refuseWrittenForm, requireVisitor } from './require-visitor.ts'
import { requireSameOrigin } from './visitors/same-origin.ts'
import { pageHeaders } from './visitors/security-headers.ts'

/** The pages for people: the functions of the API, with a session instead of a key. */
export async function webPages(
  app: FastifyInstance,
  services: WebServices,
  api: ApiDescription,
): Promise<void> {
  await app.register(cookie)
  registerFormBody(app)
  app.decorateRequest('visitor', null)
  app.decorateRequest('refusal', undefined)
  app.addHook('onRoute', checkGuard)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers(pageHeaders)
    requireSameOrigin(request, services.appUrl)
    await requireVisitor(services, request, reply)
  })
  app.addHook('preValidation', async (request, reply) => {
    await refuseWrittenForm(services, request, reply)
    if (reply.sent) return
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
  secondStepPages(app, services)
  providerSignInPages(app, services)
  resetPasswordPage(app, services)
  forgotPasswordPage(app, services)
  confirmPage(app, services)
  keyPages(app, services)
  alertPages(app, services)
  accountPages(app, services)
  memberPages(app, services)
  invitationPages(app, services)
  signInListPages(app, services)
  secondFactorPages(app, services)
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
