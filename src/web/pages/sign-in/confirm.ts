import type { FastifyInstance } from 'fastify'
import { findMailedLink, followMailedLink } from '../../../accounts/sign-in/mailed-links.ts'
import { openWebSession } from '../../../accounts/sign-in/web-sessions.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { letter } from '../../../mail/letters.ts'
import { html } from '../../components/html.ts'
import { openToAll } from '../../components/route-guards.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { agentOf, continueSignIn, giveSession } from './give-session.ts'
import { refuseLink, sendLinkPage } from './link-page.ts'

type ByToken = { Params: { token: string } }

/**
 * `/confirm/:token`: confirms the address of a new account, or another address of an account. Programs that read mail
 * open links, so only the form uses the link up.
 */
export function confirmPage(app: FastifyInstance, services: WebServices): void {
  const { database, plans, signInLimits, settings } = services
  const { mailer } = settings

  app.get<ByToken>('/confirm/:token', openToAll, async (request, reply) => {
    if (!mailer) return reply.callNotFound()
    const { account } = textsOf(request)
    try {
      await signInLimits.reset(clientAddress(request))
      const { email, kind } = await findMailedLink(database.system, request.params.token)
      const title = account.confirmTitle
      // A form without an action posts to the URL of the page, which contains the token.
      const main = html`<section class="narrow card"><h1>${title}</h1>
<p>${account.confirmFor[kind](html`<b dir="ltr">${email}</b>`)}</p>
<form method="post"><button>${account.confirm}</button></form></section>`
      return await sendLinkPage(reply, { title, main })
    } catch (error) {
      return refuseLink(request, reply, textsOf(request).account.confirmTitle, error)
    }
  })

  app.post<ByToken>('/confirm/:token', openToAll, async (request, reply) => {
    if (!mailer) return reply.callNotFound()
    try {
      await signInLimits.reset(clientAddress(request))
      const plan = settings.signUpPlan
      const { email, accountId, formerEmail } = await followMailedLink(database, request.params.token, {
        plans,
        plan,
      })
      if (formerEmail !== undefined) {
        const { language } = textsOf(request)
        const told = letter('addressChanged', language, mailer.product)
        mailer.post(async () => ({ to: formerEmail, letter: told }))
        return await reply.redirect('/signin?done=address', 303)
      }
      await giveSession(services, request, reply, {
        email,
        token: await openWebSession(database.system, { accountId, agent: agentOf(request) }),
      })
    } catch (error) {
      return refuseLink(request, reply, textsOf(request).account.confirmTitle, error)
    }
    const { next } = request.query as { readonly next?: unknown }
    return continueSignIn(services, request, reply, { next: ownPath(next) })
  })
}
