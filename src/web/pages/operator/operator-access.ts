import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Account } from '../../../accounts/accounts.ts'
import { deleteAccount } from '../../../accounts/delete-account.ts'
import { endHold, placeHold } from '../../../accounts/legal-hold.ts'
import { createResetLink } from '../../../accounts/sign-in/password-reset.ts'
import { withTx } from '../../../db/client.ts'
import { ServiceError } from '../../../errors.ts'
import { originOf } from '../../../http/origin.ts'
import { resumeAccount, suspendAccount } from '../../../turns/sessions/suspension.ts'
import { readFields, sendFormAgain } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { operatorsOnly } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { accountOf, showAccount } from './operator-account.ts'
import { resetLinkPage } from './operator-views.ts'

const holdForm = z.object({ reason: z.string().max(8_000) })
const deleteForm = z.object({ confirm: z.string().max(300) })

/** Access to an account: an operator creates password reset links, suspends, deletes, and places legal holds. */
export function operatorAccessPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services
  type Acting = { readonly actor: string; readonly account: Account; readonly accountId: string }

  /** Does something to the account that the path names, and redirects; an error is shown above the account. */
  const post = (
    name: string,
    next: string,
    work: (acting: Acting, request: FastifyRequest) => Promise<unknown>,
  ) =>
    app.post(`/operator/accounts/:id/${name}`, operatorsOnly, async (request, reply) => {
      const account = await accountOf(services, request)
      const actor = visitorOf(request).person.id
      try {
        await work({ actor, account, accountId: account.id }, request)
      } catch (error) {
        return sendFormAgain(reply, error, (problem) => showAccount(services, request, { problem }))
      }
      return reply.redirect(next.replace(':id', account.id), 303)
    })

  app.post('/operator/accounts/:id/reset-password', operatorsOnly, async (request, reply: FastifyReply) => {
    const account = await accountOf(services, request)
    const acting = { actor: visitorOf(request).person.id, accountId: account.id }
    const { path, expiresAt } = await withTx(database, 'system', (tx) => createResetLink(tx, acting))
    const url = originOf(services, request) + path
    const hasAppUrl = services.appUrl !== undefined
    return sendPage(reply, resetLinkPage(textsOf(request), account, { url, expiresAt, hasAppUrl }))
  })

  post('suspend', '/operator/accounts/:id?done=suspended', async (acting) => {
    requireOther(acting)
    await suspendAccount(database, acting)
  })

  post('resume', '/operator/accounts/:id?done=resumed', (acting) => resumeAccount(database, acting))

  post('hold', '/operator/accounts/:id?done=held', (acting, request) =>
    placeHold(database, { ...acting, ...readFields(holdForm, request.body) }),
  )

  post('release', '/operator/accounts/:id?done=released', (acting) => endHold(database, acting))

  post('delete', '/operator?done=deleted', async (acting, request) => {
    requireOther(acting)
    const { confirm } = readFields(deleteForm, request.body)
    if (confirm.trim().toLowerCase() !== acting.account.email) {
      throw new ServiceError(
        'invalid_value',
        'The e-mail address does not match the account. Nothing was deleted.',
      )
    }
    await deleteAccount(database, acting)
  })
}

/** An operator who locks themselves out may leave nobody who can let them in again. */
function requireOther({ actor, accountId }: { readonly actor: string; readonly accountId: string }): void {
  if (actor !== accountId) return
  throw new ServiceError('invalid_value', 'This is your own account. Another operator can do this.')
}
