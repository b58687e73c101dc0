import { finished } from 'node:stream/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { exportAccount } from '../../../account-export/account-archive.ts'
import { findAccountForLetter, newEmail } from '../../../accounts/accounts.ts'
import { deleteAccount } from '../../../accounts/delete-account.ts'
import { issuersOf } from '../../../accounts/providers/identities.ts'
import { findSecondFactor } from '../../../accounts/second-factor/second-factor.ts'
import { createMailedLink, linkHours } from '../../../accounts/sign-in/mailed-links.ts'
import { changePassword, hasPassword } from '../../../accounts/sign-in/sign-in.ts'
import { endAllWebSessions, endWebSession, listWebSessions } from '../../../accounts/sign-in/web-sessions.ts'
import { withTx } from '../../../db/client.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { createWorkLimit } from '../../../http/limits/work-limits.ts'
import { attachmentHeaders } from '../../../http/transfers/download.ts'
import { type Language, letter } from '../../../mail/letters.ts'
import type { Addressed, Mailer } from '../../../mail/mailer.ts'
import { closeAccount } from '../../../turns/sessions/suspension.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { ownPerson } from '../../components/route-guards.ts'
import { clearCookie } from '../../visitors/cookies.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { type AccountMessages, accountPage } from './account-view.ts'
import { confirmOwner, ownAttempt } from './own-attempt.ts'

const passwordForm = z.object({ current: z.string().max(1_000).default(''), next: z.string().max(1_000) })
const addressForm = z.object({ email: z.string().max(8_000) })

/** `/settings/account`: the sign-ins, change of the password, export and deletion of the account. */
export function accountPages(app: FastifyInstance, services: WebServices): void {
  changePages(app, services)
  exportRoute(app, services)
}

function changePages(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits, settings } = services
  const { mailer, deletionDays = 0 } = settings
  const shown = async (request: FastifyRequest, messages: AccountMessages) => {
    const visitor = visitorOf(request)
    const { person: account, token } = visitor
    const facts = {
      hasMail: mailer !== undefined,
      deletionDays,
      sessions: await listWebSessions(database.system, account.id, token),
      factor: await findSecondFactor(database.system, account.id),
      hasPassword: await hasPassword(database.system, account.id),
      providers: settings.providers,
      issuers: await issuersOf(database.system, account.id),
    }
    return accountPage(textsOf(request), visitor, messages, facts)
  }

  app.get('/settings/account', ownPerson, async (request, reply) =>
    sendPage(reply, await shown(request, { done: doneMessage(request, textsOf(request).account.done) })),
  )

  app.post('/settings/account/password', ownPerson, async (request, reply) => {
    const { person: account, token } = visitorOf(request)
    const input = readFields(passwordForm, request.body)
    try {
      await signInLimits.guard(ownAttempt(request), () =>
        changePassword(database, account, { ...input, token }),
      )
    } catch (error) {
      return sendFormAgain(reply, error, (problem, wrong) => shown(request, { problem, wrong }))
    }
    return reply.redirect('/settings/account?done=password', 303)
  })

  app.post('/settings/account/address', ownPerson, async (request, reply) => {
    if (!mailer) return reply.callNotFound()
    const { person: account } = visitorOf(request)
    const { email } = readFields(addressForm, request.body)
    try {
      await confirmOwner(services, request)
      const to = newEmail(email)
      mailer.post(() =>
        addressLetter(services, mailer, textsOf(request).language, { accountId: account.id, to }),
      )
    } catch (error) {
      return sendFormAgain(reply, error, (problem) => shown(request, { address: { email, problem } }))
    }
    return reply.redirect('/settings/account?done=address-sent', 303)
  })

  app.post('/settings/account/delete', ownPerson, async (request, reply) => {
    const { person: account } = visitorOf(request)
    try {
      await confirmOwner(services, request)
      if (deletionDays > 0) await closeAccount(database, account.id, deletionDays)
      else await deleteAccount(database, { actor: account.id, accountId: account.id })
    } catch (error) {
      return sendFormAgain(reply, error, (deleteProblem) => shown(request, { deleteProblem }))
    }
    clearCookie(reply, services, 'session')
    return reply.redirect(`/signin?done=${deletionDays > 0 ? 'closed' : 'deleted'}`, 303)
  })
}

/** The owner's data as a ZIP, one at a time. */
function exportRoute(app: FastifyInstance, services: WebServices): void {
  const exports = createWorkLimit({ what: 'exports', maxRunning: 1, maxWaiting: 0, retryAfterSeconds: 60 })
  app.post('/settings/account/export', ownPerson, (request, reply) => {
    const { id } = visitorOf(request).person
    return exports.run(id, disconnectSignal(reply), async () => {
      const archive = await exportAccount(services, { actor: id, accountId: id })
      attachmentHeaders(reply, `export-${new Date().toISOString().slice(0, 10)}.zip`, 'application/zip')
      reply.send(archive)
      // The next export may begin when this one has been read, or its reader has left.
      await finished(archive).catch(() => undefined)
      return reply
    })
  })
}

/** The letter to the new address of an account. One that another account has gets none, and the page says the same. */
async function addressLetter(
  { database, signInLimits }: WebServices,
  mailer: Mailer,
  language: Language,
  { accountId, to }: { readonly accountId: string; readonly to: string },
): Promise<Addressed | undefined> {
  if (!(await signInLimits.mayMail(to)) || (await findAccountForLetter(database.system, to))) return undefined
  const token = await createMailedLink(database.system, { kind: 'address', email: to, accountId })
  const linked = { url: mailer.url(`/confirm/${token}`), hours: linkHours }
  return { to, letter: letter('newAddress', language, mailer.product, linked) }
}

/** `/settings/account/sign-ins`: signs out one browser or all of them. The account page has the list. */
export function signInListPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.post<{ Params: { id: string } }>(
    '/settings/account/sign-ins/:id/end',
    ownPerson,
    async (request, reply) => {
      const { person: account } = visitorOf(request)
      await withTx(database, 'system', (tx) => endWebSession(tx, account.id, request.params.id))
      return reply.redirect('/settings/account?done=signed-out-one', 303)
    },
  )

  app.post('/settings/account/sign-ins/end', ownPerson, async (request, reply) => {
    const { person: account } = visitorOf(request)
    await withTx(database, 'system', (tx) => endAllWebSessions(tx, account.id))
    clearCookie(reply, services, 'session')
    return reply.redirect('/signin?done=signed-out-everywhere', 303)
  })
}
