import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { passkeyOptions, usePasskey } from '../../../accounts/second-factor/passkeys.ts'
import { useCode } from '../../../accounts/second-factor/second-factor.ts'
import { findStep, finishStep } from '../../../accounts/sign-in/sign-in-steps.ts'
import { ServiceError } from '../../../errors.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { clearCookie, cookieToken, setCookie } from '../../visitors/cookies.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { siteOf } from '../settings/site.ts'
import { attemptBy, continueSignIn, giveSessionWithNotice, originOfSignIn } from './give-session.ts'
import { type AfterSignIn, secondStepPage } from './second-step-view.ts'

/** The code, or the answer of a passkey. */
const stepForm = z.object({
  code: z.string().max(200).default(''),
  answer: z.string().max(20_000).optional(),
  next: z.string().max(8_000).optional(),
  kept: z.string().max(400_000).optional(),
})

type Step = { readonly accountId: string; readonly token: string }

/** Gives the browser a begun sign-in, and shows the page that asks for the second factor. */
export function beginSecondStep(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  step: Step,
  after: AfterSignIn,
): Promise<FastifyReply> {
  setCookie(request, reply, services, 'step', step.token)
  return show(services, request, reply, step, { after })
}

/** `/signin/code`: the second factor of a sign-in whose password was right. The cookie of the step says which. */
export function secondStepPages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers, signInLimits } = services

  app.get('/signin/code', openToAll, async (request, reply) => {
    const step = await presentStep(services, request)
    if (!step) return startAgain(services, request, reply)
    const { next } = request.query as { readonly next?: unknown }
    return show(services, request, reply, step, { after: { next: ownPath(next) } })
  })

  app.post('/signin/code', openToAll, async (request, reply) => {
    const { code, answer, ...input } = readFields(stepForm, request.body)
    const after: AfterSignIn = { next: ownPath(input.next), kept: input.kept }
    const step = await presentStep(services, request)
    if (!step) return startAgain(services, request, reply)
    const attempt = {
      ...attemptBy(services, request, step.email),
      email: `second factor of ${step.accountId}`,
    }
    try {
      const token = await signInLimits.guard(attempt, () =>
        finishStep(database, step.token, originOfSignIn(request), (tx) =>
          answer === undefined
            ? useCode(tx, peppers, step.accountId, code)
            : usePasskey(tx, step, answer, siteOf(services, request)),
        ),
      )
      clearCookie(request, reply, services, 'step')
      await giveSessionWithNotice(services, request, reply, { email: step.email, token })
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'not_found')
        return startAgain(services, request, reply)
      const { message: problem, status } = problemOf(request, error)
      return show(services, request, reply, step, { after, problem, status })
    }
    return continueSignIn(services, request, reply, after)
  })
}

async function show(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  step: Step,
  shown: { readonly after: AfterSignIn; readonly problem?: string; readonly status?: number },
): Promise<FastifyReply> {
  const options = await passkeyOptions(services.database.system, step, siteOf(services, request))
  const page = secondStepPage(textsOf(request), shown.after, options, shown.problem)
  return sendPage(request, reply, page, shown.status)
}

async function presentStep(services: WebServices, request: FastifyRequest) {
  const token = cookieToken(request, services, 'step')
  const step = token === undefined ? undefined : await findStep(services.database.system, token)
  return token !== undefined && step ? { ...step, token } : undefined
}

function startAgain(services: WebServices, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  clearCookie(request, reply, services, 'step')
  return reply.redirect('/signin?ended=step', 303)
}
