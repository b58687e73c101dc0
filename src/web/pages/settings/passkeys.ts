import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import {
  addPasskey,
  openRegistration,
  registrationOptions,
} from '../../../accounts/second-factor/passkeys.ts'
import { replaceRecoveryCodes } from '../../../accounts/second-factor/recovery-codes.ts'
import { findSecondFactor } from '../../../accounts/second-factor/second-factor.ts'
import { withTx } from '../../../db/client.ts'
import { readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { ownPerson } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { confirmOwner, siteOf } from './own-attempt.ts'
import { addPasskeyPage, type Refused, recoveryCodesPage } from './second-factor-view.ts'

const newForm = z.object({
  name: z.string().trim().min(1).max(60),
  answer: z.string().max(20_000),
  until: z.coerce.number().int().min(0),
})

/** Shows the settings again with the form that was refused. */
export type Refuse = (
  request: FastifyRequest,
  reply: FastifyReply,
  form: Refused['form'],
  error: unknown,
) => Promise<FastifyReply>

/** Adds a passkey: the password first, then the browser makes it. */
export function passkeyPages(app: FastifyInstance, services: WebServices, refuse: Refuse): void {
  const { database, peppers } = services

  app.post('/settings/second-factor/passkeys', ownPerson, async (request, reply) => {
    const { person: account, token } = visitorOf(request)
    try {
      await confirmOwner(services, request)
    } catch (error) {
      return refuse(request, reply, 'passkey', error)
    }
    const registration = openRegistration(token)
    const owner = { accountId: account.id, email: account.email, site: siteOf(services, request) }
    const options = await registrationOptions(database.system, peppers, registration, owner)
    return sendPage(reply, addPasskeyPage(textsOf(request), { options, until: registration.until }))
  })

  app.post('/settings/second-factor/passkeys/confirm', ownPerson, async (request, reply) => {
    const { person: account, token } = visitorOf(request)
    try {
      const { name, answer, until } = readFields(newForm, request.body)
      const added = { accountId: account.id, name, answer, site: siteOf(services, request) }
      const codes = await withTx(database, 'system', async (tx) => {
        const isFirst = !(await findSecondFactor(tx, account.id))
        await addPasskey(tx, peppers, { sessionToken: token, until }, added)
        return isFirst ? replaceRecoveryCodes(tx, account.id) : undefined
      })
      if (codes) return await sendPage(reply, recoveryCodesPage(textsOf(request), codes))
    } catch (error) {
      return refuse(request, reply, 'passkey', error)
    }
    return reply.redirect('/settings/second-factor?done=passkey-added', 303)
  })
}
