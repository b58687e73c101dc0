import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { enterByProvider, linkPerson } from '../../../accounts/providers/enter-by-provider.ts'
import { removeIdentities } from '../../../accounts/providers/identities.ts'
import {
  openProviderStep,
  type ProviderStep,
  takeProviderStep,
} from '../../../accounts/providers/provider-steps.ts'
import type { Person, Provider } from '../../../accounts/providers/providers.ts'
import { withTx } from '../../../db/client.ts'
import { errorTable, ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { originOf } from '../../../http/origin.ts'
import { html } from '../../components/html.ts'
import { notice, sendPage } from '../../components/page.ts'
import { openToAll, ownPerson } from '../../components/route-guards.ts'
import { readCarried } from '../../kept-forms/kept-form.ts'
import { clearCookie, cookieToken, setCookie } from '../../visitors/cookies.ts'
import { textsOf } from '../../visitors/preferences.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { confirmOwner } from '../settings/own-attempt.ts'
import { afterOf, originOfSignIn } from './give-session.ts'
import { goOnWith } from './second-step.ts'

type ByProvider = { Params: { provider: string } }

/** `/signin/with/:provider`: sign-in by OpenID Connect, and the identities of an account. */
export function providerSignInPages(app: FastifyInstance, services: WebServices): void {
  const { database } = services

  app.post<ByProvider>('/signin/with/:provider', openToAll, async (request, reply) => {
    const provider = providerOf(services, request)
    const { next, kept } = afterOf(request)
    const after = { ...(next && { next }), ...(readCarried(kept) && { kept }) }
    return goOn(services, request, reply, provider, after)
  })

  app.get<ByProvider>('/signin/with/:provider/callback', openToAll, async (request, reply) => {
    const provider = providerOf(services, request)
    const token = cookieToken(request, services, 'step')
    const step = token && (await takeProviderStep(database.system, token, provider.id))
    clearCookie(reply, services, 'step')
    if (!token || !step) return reply.redirect('/signin?ended=step', 303)
    try {
      const attempt = { token, redirectUri: redirectUri(services, request, provider) }
      const person = await provider.finish(attempt, request.url.split('?')[1] ?? '')
      if (step.linkTo !== undefined)
        return await link(services, request, reply, provider, person, step.linkTo)
      return await enter(services, request, reply, provider, person, step)
    } catch (error) {
      return refuse(services, request, reply, provider, error)
    }
  })

  app.post<ByProvider>('/settings/account/providers/:provider/connect', ownPerson, async (request, reply) => {
    const provider = providerOf(services, request)
    try {
      await confirmOwner(services, request)
    } catch (error) {
      return refuse(services, request, reply, provider, error)
    }
    return goOn(services, request, reply, provider, { linkTo: visitorOf(request).person.id })
  })

  app.post<ByProvider>(
    '/settings/account/providers/:provider/disconnect',
    ownPerson,
    async (request, reply) => {
      const provider = providerOf(services, request)
      const { person: account } = visitorOf(request)
      const removed = { accountId: account.id, issuer: provider.issuer, provider: provider.id }
      try {
        await withTx(database, 'system', (tx) => removeIdentities(tx, removed))
      } catch (error) {
        return refuse(services, request, reply, provider, error)
      }
      return reply.redirect('/settings/account?done=disconnected', 303)
    },
  )
}

function providerOf({ settings }: WebServices, request: FastifyRequest<ByProvider>): Provider {
  const provider = settings.providers?.get(request.params.provider)
  if (!provider) throw new ServiceError('not_found', 'There is no such page.')
  return provider
}

/** The address that is registered at the provider. */
function redirectUri(services: WebServices, request: FastifyRequest, { id }: Provider): string {
  return `${originOf(services, request)}/signin/with/${id}/callback`
}

/**
 * Begins a sign-in and shows a page that goes on to the provider. The policy of the form would refuse a redirect to
 * another site, so the page loads it.
 */
async function goOn(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  step: Omit<ProviderStep, 'provider'>,
): Promise<FastifyReply> {
  try {
    await services.signInLimits.provider(clientAddress(request))
    const token = await openProviderStep(services.database.system, { provider: provider.id, ...step })
    const address = await provider.begin({ token, redirectUri: redirectUri(services, request, provider) })
    setCookie(reply, services, 'step', token)
    reply.header('refresh', `0; url=${address}`)
    const { account } = textsOf(request)
    const title = account.goingTo(provider.label)
    const main = html`<section class="narrow card"><h1>${title}</h1>
<p><a href="${address}" rel="noreferrer">${account.goOn}</a></p></section>`
    return await sendPage(reply, { title, main })
  } catch (error) {
    return refuse(services, request, reply, provider, error)
  }
}

async function enter(
  services: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  person: Person,
  step: ProviderStep,
): Promise<FastifyReply> {
  const { database, plans, settings, signInLimits } = services
  const entered = await enterByProvider(database, person, {
    ...{ provider, plans },
    signUpRules: { ...settings, signUpDomains: settings.signUpDomains ?? [] },
    origin: originOfSignIn(request),
    countSignUp: () => signInLimits.signUp(clientAddress(request)),
  })
  return goOnWith(services, request, reply, entered, step)
}

async function link(
  { database }: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  provider: Provider,
  person: Person,
  accountId: string,
): Promise<FastifyReply> {
  // Somebody may have signed out, or in to another account, meanwhile.
  if (request.visitor?.person.id !== accountId) return reply.redirect('/signin?ended=step', 303)
  await linkPerson(database, person, { provider, accountId })
  return reply.redirect('/settings/account?done=connected', 303)
}

/** A page that says why, with the way back. A failure of the provider is logged, and is none of the service. */
function refuse(
  { log }: WebServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, label }: Provider,
  error: unknown,
): Promise<FastifyReply> {
  if (!(error instanceof ServiceError)) throw error
  const { status } = errorTable[error.code]
  if (status >= 500 && error.code !== 'upstream_error') throw error
  if (error.code === 'upstream_error')
    log.warn({ provider: id, reason: String(error.cause) }, 'a sign-in by a provider failed')
  const t = textsOf(request)
  const [href, back] = request.visitor
    ? ['/settings/account', t.account.accountTab]
    : ['/signin', t.account.signIn]
  const title = t.account.signInWith(label)
  const main = html`<section class="narrow card"><h1>${title}</h1>
${notice('problem', t.translate(error.message))}
<p><a class="button quiet" href="${href}">${back}</a></p></section>`
  return sendPage(reply, { title, main }, status)
}
