import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { actFor } from '../../../accounts/members/acting.ts'
import {
  invitationDays,
  invite,
  listInvitations,
  revokeInvitation,
} from '../../../accounts/members/invitations.ts'
import {
  changeRole,
  hasRole,
  listMembers,
  listMemberships,
  type Managing,
  memberRoles,
  removeMember,
} from '../../../accounts/members/members.ts'
import { type Executor, withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { originOf } from '../../../http/origin.ts'
import { letter } from '../../../mail/letters.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { accountsOnly, adminsOnly, ownPerson } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { type Visitor, visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { invitedPage, membersPage } from './members-view.ts'

const path = '/settings/members'

const roleForm = z.object({ role: z.enum(memberRoles) })
const inviteForm = roleForm.extend({ email: z.string().trim().max(8_000).default('') })
const actForm = z.object({ account: z.string().max(100) })

type ById = { Params: { id: string } }

/** `/settings/members`: who acts for the account, invitations, and the switch between the accounts of a person. */
export function memberPages(app: FastifyInstance, services: WebServices): void {
  const show = shownBy(services)
  app.get(path, accountsOnly, async (request, reply) =>
    sendPage(reply, await show(request, { done: doneMessage(request, textsOf(request).members.done) })),
  )
  managingRoutes(app, services, show)
  invitingRoutes(app, services, show)
  personRoutes(app, services)
}

type Show = ReturnType<typeof shownBy>

function shownBy({ database, settings }: WebServices) {
  return async (
    request: FastifyRequest,
    messages: { readonly done?: string | undefined; readonly problem?: string },
  ) => {
    const visitor = visitorOf(request)
    const { account, person, role } = visitor
    const { system } = database
    const shown = {
      members: await listMembers(system, account.id),
      invitations: hasRole(role, 'admin') ? await listInvitations(system, account.id) : [],
      memberships: await listMemberships(system, person.id),
      hasMail: settings.mailer !== undefined,
    }
    return membersPage(textsOf(request), visitor, shown, messages)
  }
}

/** In whose name the members change. */
function managingBy({ principal, role }: Visitor): Managing {
  return { ...principal, role }
}

function managingRoutes(app: FastifyInstance, { database }: WebServices, show: Show): void {
  const change = (
    action: string,
    done: string,
    work: (tx: Executor, by: Managing, id: string, request: FastifyRequest) => Promise<unknown>,
  ) =>
    app.post<ById>(`${path}/:id/${action}`, adminsOnly, async (request, reply) => {
      const by = managingBy(visitorOf(request))
      try {
        await withTx(database, 'system', (tx) => work(tx, by, request.params.id, request))
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not_found') throw error
        return sendFormAgain(reply, error, (problem) => show(request, { problem }))
      }
      return reply.redirect(`${path}?done=${done}`, 303)
    })

  change('role', 'changed', (tx, by, id, request) =>
    changeRole(tx, by, id, readFields(roleForm, request.body).role),
  )
  change('remove', 'removed', (tx, by, id) => removeMember(tx, by, id))
}

function invitingRoutes(app: FastifyInstance, services: WebServices, show: Show): void {
  const { database, settings, signInLimits } = services

  app.post(`${path}/invite`, adminsOnly, async (request, reply) => {
    const visitor = visitorOf(request)
    const { role, email: given } = readFields(inviteForm, request.body)
    const { mailer } = settings
    const email = given === '' ? undefined : given
    const mailed = mailer !== undefined && email !== undefined
    try {
      const { invitation, token } = await withTx(database, 'system', (tx) =>
        invite(tx, managingBy(visitor), { email, role, mailed }),
      )
      const link = `/invitations/${token}`
      if (!mailed) {
        const page = invitedPage(textsOf(request), originOf(services, request) + link)
        return await sendPage(reply, page)
      }
      const to = invitation.email ?? ''
      const { language } = textsOf(request)
      const about = { account: visitor.account.email, from: visitor.person.email, days: invitationDays }
      mailer.post(async () =>
        (await signInLimits.mayMail(to))
          ? {
              to,
              letter: letter('invitation', language, mailer.product, { ...about, url: mailer.url(link) }),
            }
          : undefined,
      )
    } catch (error) {
      return sendFormAgain(reply, error, (problem) => show(request, { problem }))
    }
    return reply.redirect(`${path}?done=invited`, 303)
  })

  app.post<ById>(`${path}/invitations/:id/revoke`, adminsOnly, async (request, reply) => {
    const by = managingBy(visitorOf(request))
    await withTx(database, 'system', (tx) => revokeInvitation(tx, by, request.params.id))
    return reply.redirect(`${path}?done=revoked`, 303)
  })
}

/** What a person does whatever the role: switching to another account, and leaving this one. */
function personRoutes(app: FastifyInstance, { database }: WebServices): void {
  app.post(`${path}/act`, ownPerson, async (request, reply) => {
    const { token, person } = visitorOf(request)
    const { account } = readFields(actForm, request.body)
    await actFor(database.system, token, { personId: person.id, accountId: account })
    return reply.redirect(`${path}?done=acting`, 303)
  })

  app.post(`${path}/leave`, ownPerson, async (request, reply) => {
    const visitor = visitorOf(request)
    const { token, person } = visitor
    await withTx(database, 'system', async (tx) => {
      await removeMember(tx, managingBy(visitor), person.id)
      await actFor(tx, token, { personId: person.id, accountId: person.id })
    })
    return reply.redirect(`${path}?done=left`, 303)
  })
}
