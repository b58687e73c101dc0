import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { useCode } from '../../../accounts/second-factor/second-factor.ts'
import { findStep, finishStep } from '../../../accounts/sign-in/sign-in-steps.ts'
import { ServiceError } from '../../../errors.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { clearStepCookie, stepToken } from '../../visitors/cookies.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { type AfterSignIn, secondStepPage } from './second-step-view.ts'
import { attemptBy, continueSignIn, giveSessionWithNotice, originOfSignIn } from './sign-in.ts'

const codeForm = z.object({
  code: z.string().max(200),
  next: z.string().max(8_000).optional(),
  kept: z.string().max(400_000).optional(),
})

/** `/signin/code`: the second factor of a sign-in whose password was right. The cookie of the step says which. */
export function secondStepPages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers, signInLimits } = services

  app.get('/signin/code', openToAll, async (request, reply) => {
    if (!(await presentStep(services, request))) return startAgain(services, request, reply)
    const { next } = request.query as { readonly next?: unknown }
    return sendPage(request, reply, secondStepPage(textsOf(request), { next: ownPath(next) }))
  })

  app.post('/signin/code', openToAll, async (request, reply) => {
    const { code, ...input } = readFields(codeForm, request.body)
    const after: AfterSignIn = { next: ownPath(input.next), kept: input.kept }
    const step = await presentStep(services, request)
    if (!step) return startAgain(services, request, reply)
    const attempt = {
      ...attemptBy(services, request, step.email),
      email: `second factor of ${step.accountId}`,
    }
    try {
      const token = await signInLimits.guard(attempt, () =>
        finishStep(database, step.token, originOfSignIn(request), (tx, accountId) =>
          useCode(tx, peppers, accountId, code),
        ),
      )
      clearStepCookie(request, reply, services)
      await giveSessionWithNotice(services, request, reply, { email: step.email, token })
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found')
        return startAgain(services, request, reply)
      const { message, status } = problemOf(request, error)
      return sendPage(request, reply, secondStepPage(textsOf(request), after, message), status)
    }
    return continueSignIn(request, reply, after)
  })
}

async function presentStep(services: WebServices, request: FastifyRequest) {
  const token = stepToken(request, services)
  const step = token === undefined ? undefined : await findStep(services.database.system, token)
  return token !== undefined && step ? { ...step, token } : undefined
}

function startAgain(services: WebServices, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  clearStepCookie(request, reply, services)
  return reply.redirect('/signin?ended=step', 303)
}
