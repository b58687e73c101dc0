import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { findResetLink, resetPassword } from '../../../accounts/sign-in/password-reset.ts'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { html } from '../../components/html.ts'
import { outcomeNotice, type Page } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { refuseLink, sendLinkPage } from './link-page.ts'
import { newPasswordField } from './sign-in-view.ts'

type ByToken = { Params: { token: string } }

const passwordForm = z.object({ next: z.string().max(1_000) })

/** `/reset-password/:token`: sets a new password for the holder of a password reset link. */
export function resetPasswordPage(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits } = services

  app.get<ByToken>('/reset-password/:token', openToAll, async (request, reply) => {
    try {
      await signInLimits.reset(clientAddress(request))
      const { email } = await findResetLink(database.system, request.params.token)
      return await sendLinkPage(reply, formPage(textsOf(request), email))
    } catch (error) {
      return refuseLink(request, reply, textsOf(request).account.setPassword, error)
    }
  })

  app.post<ByToken>('/reset-password/:token', openToAll, async (request, reply) => {
    const { token } = request.params
    const { next } = readFields(passwordForm, request.body)
    try {
      await signInLimits.reset(clientAddress(request))
      await resetPassword(database, token, next)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_value')
        return refuseLink(request, reply, textsOf(request).account.setPassword, error)
      const { message, status } = problemOf(request, error)
      const { email } = await findResetLink(database.system, token)
      return sendLinkPage(reply, formPage(textsOf(request), email, message), status)
    }
    return reply.redirect('/signin?done=reset', 303)
  })
}

/** A form without an action posts to the URL of the page, which contains the token. */
function formPage(t: Texts, email: string, problem?: string): Page {
  const { account, common } = t
  return {
    title: account.setPassword,
    main: html`<section class="narrow card"><h1>${account.setPassword}</h1>
<p>${account.resetFor(html`<b dir="ltr">${email}</b>`)}</p>
${outcomeNotice({ problem })}
<form method="post">
<input type="hidden" name="username" autocomplete="username" value="${email}">
${newPasswordField(t, common.newPassword, 'next')}
<button>${account.setThePassword}</button>
</form></section>`,
  }
}
