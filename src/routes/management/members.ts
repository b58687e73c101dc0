import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  type Invitation,
  invitationDays,
  invite,
  listInvitations,
  revokeInvitation,
} from '../../accounts/members/invitations.ts'
import {
  changeRole,
  listMembers,
  type Managing,
  type Member,
  memberRoles,
  removeMember,
} from '../../accounts/members/members.ts'
import { withTx } from '../../db/client.ts'
import { principalOf } from '../../http/auth.ts'
import { listBody, unixSeconds } from '../../http/lists.ts'
import { type BodyOf, deletedOf, instant, listOf, type RouteDocs } from '../../http/openapi/docs.ts'
import type { Api } from '../../http/openapi/zod.ts'
import { originOf } from '../../http/origin.ts'
import type { Services } from '../../turns/services.ts'
import { onceFor } from './idempotent.ts'

const role = z.enum(memberRoles)

const memberSchema = z
  .object({
    id: z.string().describe('The own account of the person'),
    object: z.literal('member'),
    email: z.string(),
    role,
    added_at: instant.nullable().describe('Null: the person of the account, who is always its owner'),
  })
  .meta({ id: 'Member', description: 'A person who acts for the account.' })

const invitationSchema = z
  .object({
    id: z.string(),
    object: z.literal('invitation'),
    email: z.string().nullable().describe('The only address that can accept it. Null: whoever has the link'),
    role,
    url: z.string().optional().describe('The link. Only in the reply that made it'),
    created_at: instant,
    expires_at: instant,
  })
  .meta({ id: 'Invitation', description: 'A link that makes a person a member, once.' })

const memberList = listOf(memberSchema).meta({ id: 'MemberList' })
const invitationList = listOf(invitationSchema).meta({ id: 'InvitationList' })
const memberDeleted = deletedOf('member').meta({ id: 'MemberDeleted' })
const invitationDeleted = deletedOf('invitation').meta({ id: 'InvitationDeleted' })

const changeBody = z.object({ role })
const newBody = z.object({
  email: z.string().max(320).nullish().describe('Only the account of this address can accept'),
  role,
})

const tag = 'Account' as const
const notOwners = 'A key acts as an admin: it neither makes nor changes owners.'
const docs = {
  list: { summary: 'List the members of the account', tag, response: memberList },
  change: { summary: 'Give a member another role', description: notOwners, tag, response: memberSchema },
  remove: {
    summary: 'Remove a member, and revoke the keys that the member made',
    description: notOwners,
    tag,
    response: memberDeleted,
  },
  listInvitations: { summary: 'List the open invitations', tag, response: invitationList },
  invite: {
    summary: 'Invite a person',
    description: `Nothing is mailed: hand the link on. It works once, for ${invitationDays} days. ${notOwners}`,
    tag,
    response: invitationSchema,
    requestHeaders: {
      'idempotency-key': 'A request that is sent again with it is done once; the repeated reply has no link.',
    },
    errors: ['idempotency_key_reused'],
  },
  revoke: { summary: 'Revoke an invitation', description: notOwners, tag, response: invitationDeleted },
} satisfies Record<string, RouteDocs>

const scope = 'account:manage' as const

/** Keys do what admins do, whoever made them. */
function managingBy(request: FastifyRequest): Managing {
  return { ...principalOf(request), role: 'admin' }
}

const idOf = (request: FastifyRequest) =>
  (request.params as { readonly id: string }).id.replaceAll('\0', '\ufffd')

/** `/v1/members` and `/v1/invitations`: who acts for the account. */
export function memberRoutes(app: Api, services: Services): void {
  presentRoutes(app, services)
  invitationRoutes(app, services)
}

function presentRoutes(app: Api, { database }: Services): void {
  app.get('/members', { config: { scope, docs: docs.list } }, async (request) => {
    const members = await listMembers(database.system, principalOf(request).accountId)
    return listBody(members.map(memberBody), false)
  })

  app.patch(
    '/members/:id',
    { config: { scope, docs: docs.change }, schema: { body: changeBody } },
    async (request) =>
      memberBody(
        await withTx(database, 'system', (tx) =>
          changeRole(tx, managingBy(request), idOf(request), request.body.role),
        ),
      ),
  )

  app.delete('/members/:id', { config: { scope, docs: docs.remove } }, async (request) => {
    const id = idOf(request)
    const { accountId } = principalOf(request)
    await withTx(database, 'system', (tx) => removeMember(tx, { accountId, role: 'admin' }, id))
    return { id, object: 'member', deleted: true } as const
  })
}

function invitationRoutes(app: Api, services: Services): void {
  const { database } = services

  app.get('/invitations', { config: { scope, docs: docs.listInvitations } }, async (request) => {
    const found = await listInvitations(database.system, principalOf(request).accountId)
    return listBody(
      found.map((invitation) => invitationBody(invitation)),
      false,
    )
  })

  app.post(
    '/invitations',
    { config: { scope, docs: docs.invite }, schema: { body: newBody } },
    async (request) => {
      const { email, role } = request.body
      return withTx(database, 'system', (tx) =>
        onceFor(
          tx,
          request,
          async () => {
            const made = await invite(tx, managingBy(request), { email: email ?? undefined, role })
            const url = `${originOf(services, request)}/invitations/${made.token}`
            return invitationBody(made.invitation, url)
          },
          ({ url: _, ...rest }) => rest,
        ),
      )
    },
  )

  app.delete('/invitations/:id', { config: { scope, docs: docs.revoke } }, async (request) => {
    const id = idOf(request)
    await withTx(database, 'system', (tx) => revokeInvitation(tx, managingBy(request), id))
    return { id, object: 'invitation', deleted: true } as const
  })
}

function memberBody({ id, email, role, addedAt }: Member): BodyOf<typeof memberSchema> {
  return { id, object: 'member', email, role, added_at: addedAt && unixSeconds(addedAt) }
}

function invitationBody(invitation: Invitation, url?: string): BodyOf<typeof invitationSchema> {
  const { id, email, role, createdAt, expiresAt } = invitation
  return {
    ...{ id, object: 'invitation', email, role },
    ...(url !== undefined && { url }),
    created_at: unixSeconds(createdAt),
    expires_at: unixSeconds(expiresAt),
  }
}
