import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { passwordLength } from '../../../accounts/passwords/password-rules.ts'
import { findResetLink, resetPassword } from '../../../accounts/sign-in/password-reset.ts'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { anyone } from '../../components/guards.ts'
import { html, nothing } from '../../components/html.ts'
import { notice, type Page, sendPage } from '../../components/page.ts'
import type { WebServices } from '../services.ts'

type ByToken = { Params: { token: string } }

const passwordForm = z.object({ next: z.string().max(1_000) })

/** `/reset-password/:token`: sets a new password for the holder of a password reset link. */
export function resetPasswordPage(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits } = services

  app.get<ByToken>('/reset-password/:token', anyone, async (request, reply) => {
    try {
      await signInLimits.reset(clientAddress(request))
      const { email } = await findResetLink(database.system, request.params.token)
      return await show(request, reply, formPage(email))
    } catch (error) {
      return refuse(request, reply, error)
    }
  })

  app.post<ByToken>('/reset-password/:token', anyone, async (request, reply) => {
    const { token } = request.params
    const { next } = readFields(passwordForm, request.body)
    try {
      await signInLimits.reset(clientAddress(request))
      await resetPassword(database, token, next)
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_value')
        return refuse(request, reply, error)
      const { message, status } = problemOf(error)
      const { email } = await findResetLink(database.system, token)
      return show(request, reply, formPage(email, message), status)
    }
    return reply.redirect('/signin?done=reset', 303)
  })
}

/** The URL of the page is a secret, so requests that follow from the page carry no referrer. */
function show(request: FastifyRequest, reply: FastifyReply, page: Page, status = 200): Promise<FastifyReply> {
  reply.header('referrer-policy', 'no-referrer')
  return sendPage(request, reply, page, status)
}

/** Answers an invalid link, or too many attempts. */
function refuse(request: FastifyRequest, reply: FastifyReply, error: unknown): Promise<FastifyReply> {
  const { message, status } = problemOf(error)
  return show(
    request,
    reply,
    {
      title: 'Set a new password',
      main: html`<section class="narrow card"><h1>Set a new password</h1>
${notice('problem', message)}
<p><a class="button quiet" href="/signin">Sign in</a></p></section>`,
    },
    status,
  )
}

/** A form without an action posts to the URL of the page, which contains the token. */
function formPage(email: string, problem?: string): Page {
  return {
    title: 'Set a new password',
    main: html`<section class="narrow card"><h1>Set a new password</h1>
<p>For the account <b dir="ltr">${email}</b>. All browsers that are signed in to it are signed out.</p>
${problem ? notice('problem', problem) : nothing}
<form method="post">
<input type="hidden" name="username" autocomplete="username" value="${email}">
<label>New password <input type="password" name="next" autocomplete="new-password" minlength="${passwordLength.min}" required aria-describedby="rule"></label>
<p class="hint" id="rule">At least ${passwordLength.min} characters. A few unrelated words make a good one.</p>
<button>Set the password</button>
</form></section>`,
  }
}
