import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type Account, createAccount, newEmail } from '../../../accounts/accounts.ts'
import { hashPassword } from '../../../accounts/passwords/passwords.ts'
import { createMailedLink, linkHours } from '../../../accounts/sign-in/mailed-links.ts'
import { signIn } from '../../../accounts/sign-in/sign-in.ts'
import { closeWebSession, openWebSession } from '../../../accounts/sign-in/web-sessions.ts'
import { ServiceError } from '../../../errors.ts'
import { letter } from '../../../mail/letters.ts'
import type { Mailer } from '../../../mail/mailer.ts'
import { doneMessage, readFields, sendFormAgain } from '../../components/forms.ts'
import { withQuery } from '../../components/library-links.ts'
import { sendPage } from '../../components/page.ts'
import { openToAll } from '../../components/route-guards.ts'
import { clearCookie } from '../../visitors/cookies.ts'
import { ownPath } from '../../visitors/own-path.ts'
import { textsOf } from '../../visitors/preferences.ts'
import type { WebServices } from '../services.ts'
import { checkMailPage, resetLetter } from './forgot-password.ts'
import {
  afterOf,
  agentOf,
  attemptBy,
  continueSignIn,
  countSignUp,
  giveSession,
  originOfSignIn,
} from './give-session.ts'
import { goOnWith } from './second-step.ts'
import { signInPage, signUpPage } from './sign-in-view.ts'

const credentials = z.object({
  /** Checked by the sign-in, because a refusal here would lose what was typed. */
  email: z.string().max(8_000),
  password: z.string().max(1_000),
})

/** `/signin`, `/signup` and `/signout`. */
export function signInPages(app: FastifyInstance, services: WebServices): void {
  const { database, signInLimits } = services
  app.get('/signin', openToAll, (request, reply) => {
    const { next, ended } = request.query as { readonly next?: unknown; readonly ended?: unknown }
    const { account } = textsOf(request)
    const note = ended === 'page' || ended === 'form' || ended === 'step' ? account.ended[ended] : undefined
    const form = { next: ownPath(next), done: doneMessage(request, account.done), note }
    if (request.visitor) return reply.redirect(form.next ?? '/ask', 303)
    return sendPage(reply, signInPage(textsOf(request), services, form))
  })

  app.post('/signin', openToAll, async (request, reply) => {
    const input = readFields(credentials, request.body)
    const after = afterOf(request)
    const { email } = input
    try {
      const entered = await signInLimits.guard(attemptBy(services, request, email), () =>
        signIn(database, { ...input, ...originOfSignIn(request) }),
      )
      return await goOnWith(services, request, reply, { ...entered, email }, after)
    } catch (error) {
      return sendFormAgain(reply, error, (problem) =>
        signInPage(textsOf(request), services, { email, ...after, problem }),
      )
    }
  })

  app.get('/signup', openToAll, (request, reply) => {
    const next = ownPath((request.query as { readonly next?: unknown }).next)
    if (request.visitor) return reply.redirect(next ?? '/ask', 303)
    return sendPage(reply, signUpPage(textsOf(request), services, { next }))
  })

  app.post('/signup', openToAll, async (request, reply) => {
    const input = readFields(credentials, request.body)
    const { next } = afterOf(request)
    try {
      if (services.settings.mailer) {
        await mailSignUp(services, services.settings.mailer, request, { ...input, next })
        return await sendPage(reply, checkMailPage(textsOf(request)))
      }
      const { id } = await signUp(services, request, input)
      // The password was set just now: this is no guess, so the sign-in limits do not apply.
      const session = { accountId: id, agent: agentOf(request) }
      const token = await openWebSession(services.database.system, session)
      await giveSession(services, request, reply, { email: input.email, token })
    } catch (error) {
      return sendFormAgain(reply, error, (problem) =>
        signUpPage(textsOf(request), services, { email: input.email, next, problem }),
      )
    }
    return continueSignIn(services, request, reply, { next })
  })

  app.post('/signout', openToAll, async (request, reply) => {
    if (request.visitor) await closeWebSession(services.database.system, request.visitor.token)
    clearCookie(reply, services, 'session')
    return reply.redirect('/signin?done=signed-out', 303)
  })
}

type NewAccount = { readonly email: string; readonly password: string; readonly next?: string | undefined }

async function signUp(services: WebServices, request: FastifyRequest, input: NewAccount): Promise<Account> {
  await requireSignUp(services, request, input)
  return createAccount(services.database.system, services.plans, {
    ...input,
    plan: services.settings.signUpPlan,
  })
}

async function requireSignUp(
  services: WebServices,
  request: FastifyRequest,
  input: NewAccount,
): Promise<void> {
  if (services.settings.signUp !== 'open') throw new ServiceError('not_found', 'There is no such page.')
  await countSignUp(services, request, input)
}

/** Mails the link that creates the account. An address that has one gets another letter, and the reply is the same. */
async function mailSignUp(
  services: WebServices,
  mailer: Mailer,
  request: FastifyRequest,
  input: NewAccount,
): Promise<void> {
  await requireSignUp(services, request, input)
  const { database, signInLimits } = services
  const { email } = input
  const passwordHash = await hashPassword(input.password)
  const { language } = textsOf(request)
  mailer.post(async () => {
    if (!(await signInLimits.mayMail(email))) return undefined
    const taken = await resetLetter(database, mailer, email, 'addressTaken')
    if (taken) return taken
    const token = await createMailedLink(database.system, { kind: 'account', email, passwordHash })
    const url = mailer.url(withQuery(`/confirm/${token}`, { next: input.next }))
    return {
      to: newEmail(email),
      letter: letter('confirmAddress', language, mailer.product, { url, hours: linkHours }),
    }
  })
}
