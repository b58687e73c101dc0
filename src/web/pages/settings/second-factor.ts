import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { recordAction } from '../../../accounts/audit.ts'
import {
  type AppSecret,
  beginApp,
  confirmApp,
  unfinishedApp,
} from '../../../accounts/second-factor/authenticator-app.ts'
import { listPasskeys, removePasskey } from '../../../accounts/second-factor/passkeys.ts'
import { replaceRecoveryCodes } from '../../../accounts/second-factor/recovery-codes.ts'
import {
  findSecondFactor,
  removeSecondFactor,
  useCode,
  wrongCode,
} from '../../../accounts/second-factor/second-factor.ts'
import { hasPassword } from '../../../accounts/sign-in/sign-in.ts'
import { type Executor, withTx } from '../../../db/client.ts'
import { notFound } from '../../../errors.ts'
import { productName } from '../../../http/product.ts'
import { doneMessage, problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { ownPerson } from '../../components/route-guards.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { confirmOwner, ownAttempt } from './own-attempt.ts'
import { passkeyPages, type Refuse } from './passkeys.ts'
import { addAppPage, type Refused, recoveryCodesPage, secondFactorPage } from './second-factor-view.ts'

const codeForm = z.object({ code: z.string().max(200) })

/** `/settings/second-factor`: the authenticator app, the recovery codes, and the end of both. */
export function secondFactorPages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers, signInLimits } = services
  const show = async (request: FastifyRequest, reply: FastifyReply, refused?: Refused, status?: number) => {
    const { id } = visitorOf(request).person
    const factor = await findSecondFactor(database.system, id)
    const done = refused ? undefined : doneMessage(request, textsOf(request).secondFactor.done)
    const shown = {
      ...{ factor, refused, done },
      hasPassword: await hasPassword(database.system, id),
      passkeys: await listPasskeys(database.system, id),
    }
    return sendPage(reply, secondFactorPage(textsOf(request), shown), status)
  }
  const refuse: Refuse = (request, reply, form, error) => {
    const { message, status } = problemOf(request, error)
    return show(request, reply, { form, problem: message }, status)
  }
  /** Makes a change if the code is right. Guesses count like those of a password. */
  const changeByCode = <T>(
    request: FastifyRequest,
    change: (tx: Executor, accountId: string) => Promise<T>,
  ) => {
    const { id } = visitorOf(request).person
    const { code } = readFields(codeForm, request.body)
    return signInLimits.guard(ownAttempt(request), () =>
      withTx(database, 'system', async (tx) => {
        if (!(await useCode(tx, peppers, id, code))) throw wrongCode()
        return change(tx, id)
      }),
    )
  }

  app.get('/settings/second-factor', ownPerson, (request, reply) => show(request, reply))

  appPages(app, services, refuse)
  passkeyPages(app, services, refuse)

  app.post('/settings/second-factor/codes', ownPerson, async (request, reply) => {
    try {
      const codes = await changeByCode(request, async (tx, accountId) => {
        await recordAction(tx, { actor: accountId, action: 'second_factor.codes_replaced', accountId })
        return replaceRecoveryCodes(tx, accountId)
      })
      return await sendPage(reply, recoveryCodesPage(textsOf(request), codes))
    } catch (error) {
      return refuse(request, reply, 'codes', error)
    }
  })

  app.post<{ Params: { id: string } }>(
    '/settings/second-factor/passkeys/:id/remove',
    ownPerson,
    async (request, reply) => {
      const { id } = request.params
      const own = await listPasskeys(database.system, visitorOf(request).person.id)
      if (!own.some((passkey) => passkey.id === id)) throw notFound()
      try {
        await changeByCode(request, async (tx, accountId) => {
          await removePasskey(tx, accountId, id)
          if (!(await findSecondFactor(tx, accountId)))
            await removeSecondFactor(tx, { actor: accountId, accountId })
        })
      } catch (error) {
        return refuse(request, reply, 'passkey', error)
      }
      return reply.redirect('/settings/second-factor?done=passkey-removed', 303)
    },
  )

  app.post('/settings/second-factor/off', ownPerson, async (request, reply) => {
    try {
      await changeByCode(request, (tx, accountId) => removeSecondFactor(tx, { actor: accountId, accountId }))
    } catch (error) {
      return refuse(request, reply, 'off', error)
    }
    return reply.redirect('/settings/second-factor?done=off', 303)
  })
}

/** The set-up of an authenticator app: its secret, and its first code. */
function appPages(app: FastifyInstance, services: WebServices, refuse: Refuse): void {
  const { database, peppers, signInLimits } = services

  app.post('/settings/second-factor/app', ownPerson, async (request, reply) => {
    try {
      await confirmOwner(services, request)
      const begun = await beginApp(database.system, peppers, labelOf(services, request))
      return await showSecret(request, reply, begun)
    } catch (error) {
      return refuse(request, reply, 'app', error)
    }
  })

  app.post('/settings/second-factor/app/confirm', ownPerson, async (request, reply) => {
    const { person: account } = visitorOf(request)
    const { code } = readFields(codeForm, request.body)
    try {
      const codes = await signInLimits.guard(ownAttempt(request), () =>
        withTx(database, 'system', async (tx) => {
          if (!(await confirmApp(tx, peppers, account.id, code))) throw wrongCode()
          const action = 'second_factor.app_added'
          await recordAction(tx, { actor: account.id, action, accountId: account.id })
          return replaceRecoveryCodes(tx, account.id)
        }),
      )
      return await sendPage(reply, recoveryCodesPage(textsOf(request), codes))
    } catch (error) {
      const begun = await unfinishedApp(database.system, peppers, labelOf(services, request))
      if (!begun) return refuse(request, reply, 'app', error)
      const { message, status } = problemOf(request, error)
      return showSecret(request, reply, begun, { message, status })
    }
  })
}

async function showSecret(
  request: FastifyRequest,
  reply: FastifyReply,
  { secret, uri }: AppSecret,
  refused?: { readonly message: string; readonly status: number },
): Promise<FastifyReply> {
  const { toString: renderQrCode } = await import('qrcode')
  const qrCode = await renderQrCode(uri, { type: 'svg' })
  const shown = { qrCode, secret, ...(refused && { problem: refused.message }) }
  return sendPage(reply, addAppPage(textsOf(request), shown), refused?.status)
}

function labelOf({ appName }: WebServices, request: FastifyRequest) {
  const { id, email } = visitorOf(request).person
  return { accountId: id, email, product: appName ?? productName }
}
