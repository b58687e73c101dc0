import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { passkeyOptions, usePasskey } from '../../../accounts/second-factor/passkeys.ts'
import { useCode } from '../../../accounts/second-factor/second-factor.ts'
import {
  type Entered,
  findStep,
  finishStep,
  keepAccount,
  type Stage,
} from '../../../accounts/sign-in/sign-in-steps.ts'
import { ServiceError } from '../../../errors.ts'
import { problemOf, readFields } from '../../components/forms.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { clearCookie, cookieToken, setCookie } from '../../visitors/cookies.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { siteOf } from '../settings/own-attempt.ts'
import { afterOf, attemptBy, continueSignIn, giveSessionWithNotice, originOfSignIn } from './give-session.ts'
import { type AfterSignIn, closedPage, secondStepPage } from './second-step-view.ts'

/** The code, or the answer of a passkey. */
const codeForm = z.object({
  code: z.string().max(200).default(''),
  answer: z.string().max(20_000).optional(),
})

type Step = { readonly accountId: string; readonly token: string }
type Shown = { readonly after: AfterSignIn; readonly problem?: string; readonly status?: number }
type Ending = {
  readonly step: Step & { readonly email: string }
  readonly after: AfterSignIn
  /** Ends the step, and opens the session or begins the next step. */
  readonly enter: () => Promise<Entered>
  /** The page of the step again. */
  readonly again: (shown: Shown) => FastifyReply | Promise<FastifyReply>
}

/** Goes on with a sign-in: gives the browser its session, or the step that is missing and the page of that. */
export async function goOnWith(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  entered: Entered & { readonly email: string },
  after: AfterSignIn,
): Promise<FastifyReply> {
  if (entered.kind === 'session') {
    await giveSessionWithNotice(services, request, reply, entered)
    return continueSignIn(services, request, reply, after)
  }
  setCookie(reply, services, 'step', entered.token)
  if (entered.kind === 'second-factor') return show(services, request, reply, entered, { after })
  const step = await findStep(services.database.system, entered.token, 'closed')
  return step ? showClosed(request, reply, step, { after }) : startAgain(services, reply)
}

/**
 * `/signin/code`: the second factor of a sign-in. `/signin/keep`: the owner of a closed account keeps it.
 * The cookie of the step says which sign-in.
 */
export function secondStepPages(app: FastifyInstance, services: WebServices): void {
  const { database, peppers, signInLimits } = services

  app.get('/signin/code', openToAll, async (request, reply) => {
    const step = await presentStep(services, request, 'second-factor')
    if (!step) return startAgain(services, reply)
    const { next } = request.query as { readonly next?: unknown }
    return show(services, request, reply, step, { after: { next: ownPath(next) } })
  })

  app.post('/signin/code', openToAll, async (request, reply) => {
    const { code, answer } = readFields(codeForm, request.body)
    const after = afterOf(request)
    const step = await presentStep(services, request, 'second-factor')
    if (!step) return startAgain(services, reply)
    const attempt = {
      ...attemptBy(services, request, step.email),
      email: `second factor of ${step.accountId}`,
    }
    const enter = () =>
      signInLimits.guard(attempt, () =>
        finishStep(database, step.token, originOfSignIn(request), (tx) =>
          answer === undefined
            ? useCode(tx, peppers, step.accountId, code)
            : usePasskey(tx, step, answer, siteOf(services, request)),
        ),
      )
    const again = (shown: Shown) => show(services, request, reply, step, shown)
    return enterOr(services, request, reply, { step, after, enter, again })
  })

  app.get('/signin/keep', openToAll, async (request, reply) => {
    const step = await presentStep(services, request, 'closed')
    if (!step) return startAgain(services, reply)
    const { next } = request.query as { readonly next?: unknown }
    return showClosed(request, reply, step, { after: { next: ownPath(next) } })
  })

  app.post('/signin/keep', openToAll, async (request, reply) => {
    const after = afterOf(request)
    const step = await presentStep(services, request, 'closed')
    if (!step) return startAgain(services, reply)
    const enter = () => keepAccount(database, step.token, originOfSignIn(request))
    const again = (shown: Shown) => showClosed(request, reply, step, shown)
    return enterOr(services, request, reply, { step, after, enter, again })
  })
}

/** Ends a step and goes on behind it. What is refused is shown on the page of the step again. */
async function enterOr(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { step, after, enter, again }: Ending,
): Promise<FastifyReply> {
  try {
    const entered = await enter()
    clearCookie(reply, services, 'step')
    return await goOnWith(services, request, reply, { ...entered, email: step.email }, after)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return startAgain(services, reply)
    const { message: problem, status } = problemOf(request, error)
    return again({ after, problem, status })
  }
}

async function show(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  step: Step,
  shown: Shown,
): Promise<FastifyReply> {
  const options = await passkeyOptions(services.database.system, step, siteOf(services, request))
  const page = secondStepPage(textsOf(request), shown.after, options, shown.problem)
  return sendPage(reply, page, shown.status)
}

function showClosed(
  request: FastifyRequest,
  reply: FastifyReply,
  { deletionDueAt }: { readonly deletionDueAt: Date | null },
  { after, problem, status }: Shown,
): Promise<FastifyReply> {
  return sendPage(reply, closedPage(textsOf(request), after, deletionDueAt, problem), status)
}

async function presentStep(services: WebServices, request: FastifyRequest, stage: Stage) {
  const token = cookieToken(request, services, 'step')
  const step = token === undefined ? undefined : await findStep(services.database.system, token, stage)
  return token !== undefined && step ? { ...step, token } : undefined
}

function startAgain(services: WebServices, reply: FastifyReply): FastifyReply {
  clearCookie(reply, services, 'step')
  return reply.redirect('/signin?ended=step', 303)
}
