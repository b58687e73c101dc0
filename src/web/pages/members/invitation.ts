import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { actFor, joinAsNew } from '../../../accounts/members/acting.ts'
import {
  acceptInvitation,
  findInvitation,
  notInvited,
  type OpenInvitation,
} from '../../../accounts/members/invitations.ts'
import { hashPassword } from '../../../accounts/passwords/passwords.ts'
import { isOfDomain } from '../../../accounts/providers/enter-by-provider.ts'
import { withTx } from '../../../db/client.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { openToAll } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { countSignUp, giveSession, originOfSignIn } from '../sign-in/give-session.ts'
import { refuseLink, sendLinkPage } from '../sign-in/link-page.ts'
import { invitationPage } from './invitation-view.ts'

type ByToken = { Params: { token: string } }

const passwordForm = z.object({ password: z.string().max(1_000) })

const joined = '/settings/members?done=joined'

/**
 * `/invitations/:token`: what a link invites to. Whoever opens it signs in or signs up, and accepts. Programs that read
 * mail open links, so only the forms use the link up.
 */
export function invitationPages(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits } = services
  const refused = (request: FastifyRequest, reply: FastifyReply, error: unknown) =>
    refuseLink(request, reply, textsOf(request).members.invitation, error)

  app.get<ByToken>('/invitations/:token', openToAll, async (request, reply) => {
    try {
      await signInLimits.reset(clientAddress(request))
      return await show(services, request, reply, await findInvitation(database.system, request.params.token))
    } catch (error) {
      return refused(request, reply, error)
    }
  })

  app.post<ByToken>('/invitations/:token', openToAll, async (request, reply) => {
    const { token } = request.params
    try {
      await signInLimits.reset(clientAddress(request))
      await findInvitation(database.system, token)
      if (!request.visitor) return await reply.redirect(`/invitations/${token}`, 303)
      const { person, token: session } = request.visitor
      await withTx(database, 'system', async (tx) => {
        const { accountId } = await acceptInvitation(tx, token, person)
        await actFor(tx, session, { personId: person.id, accountId })
      })
    } catch (error) {
      return refused(request, reply, error)
    }
    return reply.redirect(joined, 303)
  })

  signUpRoute(app, services, refused)
}

function signUpRoute(
  app: FastifyInstance,
  services: WebServices,
  refused: (request: FastifyRequest, reply: FastifyReply, error: unknown) => Promise<FastifyReply>,
): void {
  const { database, plans, settings, signInLimits } = services

  app.post<ByToken>('/invitations/:token/account', openToAll, async (request, reply) => {
    const { token } = request.params
    let invitation: OpenInvitation | undefined
    try {
      await signInLimits.reset(clientAddress(request))
      invitation = await findInvitation(database.system, token)
      const { email } = invitation
      if (email === null || !maySignUp(services, invitation)) throw notInvited()
      const { password } = readFields(passwordForm, request.body)
      await countSignUp(services, request, { email, password })
      const passwordHash = await hashPassword(password)
      const origin = originOfSignIn(request)
      const entered = await joinAsNew(database, plans, token, {
        plan: settings.signUpPlan,
        passwordHash,
        origin,
      })
      await giveSession(services, request, reply, entered)
    } catch (error) {
      if (!invitation) return refused(request, reply, error)
      const { message, status } = problemOf(request, error)
      return show(services, request, reply, invitation, { problem: message, status })
    }
    return reply.redirect(joined, 303)
  })
}

/**
 * Whether the page of the invitation has a form for a new account: the host lets invited people in, and whoever has
 * the link has the address, or no address is confirmed here.
 */
function maySignUp({ settings }: WebServices, { email, mailed }: OpenInvitation): boolean {
  const { signUp, signUpDomains = [], mailer } = settings
  return signUp !== 'closed' && email !== null && isOfDomain(email, signUpDomains) && (mailed || !mailer)
}

function show(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  invitation: OpenInvitation,
  { problem, status = 200 }: { readonly problem?: string; readonly status?: number } = {},
): Promise<FastifyReply> {
  const { token } = request.params as ByToken['Params']
  const shown = {
    ...{ invitation, token, problem, person: request.visitor?.person },
    hasForm: maySignUp(services, invitation),
    signUpIsOpen: services.settings.signUp === 'open',
  }
  return sendLinkPage(reply, invitationPage(textsOf(request), shown), status)
}
