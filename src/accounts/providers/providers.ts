import {
  AuthorizationResponseError,
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  fetchUserInfo,
  None,
} from 'openid-client'
import { ServiceError } from '../../errors.ts'
import { derivedFrom } from '../sign-in/token-digest.ts'
import type { ProviderEntry } from './providers-file.ts'

/** Seconds until a request to a provider fails. */
const timeoutSeconds = 10

/** Time for which a provider's description of itself is used. */
const descriptionMs = 3_600_000

/** What a provider says of the person who signed in. */
export type Person = {
  readonly issuer: string
  /** The provider's name for the person. It never changes, as an address may. */
  readonly subject: string
  readonly email: string | undefined
  readonly emailVerified: boolean
  readonly claims: Readonly<Record<string, unknown>>
}

/** One sign-in at a provider. */
export type ProviderAttempt = {
  /** The random token of its cookie, from which state, nonce and code verifier are derived. */
  readonly token: string
  /** The address to which the provider sends the person back. */
  readonly redirectUri: string
}

export type Provider = Pick<ProviderEntry, 'id' | 'label' | 'issuer' | 'rules'> & {
  /**
   * The address at the provider where the person signs in.
   * @throws ServiceError `upstream_error` if the provider cannot be reached.
   */
  begin(attempt: ProviderAttempt): Promise<string>
  /**
   * Redeems the code with which the person came back.
   * @param query the query of the address, without its `?`.
   * @throws ServiceError `invalid_value` if the provider or the person refused; `upstream_error` for every other failure.
   */
  finish(attempt: ProviderAttempt, query: string): Promise<Person>
}

/** The providers by their ids, in the order of the file. */
export type Providers = ReadonlyMap<string, Provider>

/** Makes the providers. It asks none of them: one that is down must not keep the service from starting. */
export function openProviders(entries: readonly ProviderEntry[]): Providers {
  return new Map(entries.map((entry) => [entry.id, openProvider(entry)]))
}

function openProvider(entry: ProviderEntry): Provider {
  const { id, label, issuer, rules } = entry
  let known: { readonly until: number; readonly described: Promise<Configuration> } | undefined
  const describe = (): Promise<Configuration> => {
    if (known && known.until > performance.now()) return known.described
    const described = discovered(entry)
    known = { until: performance.now() + descriptionMs, described }
    described.catch(() => {
      known = undefined
    })
    return described
  }
  return {
    ...{ id, label, issuer, rules },
    async begin({ token, redirectUri }) {
      const configuration = await describe().catch((cause) => {
        const message = `"${label}" cannot be reached at the moment. Try again later, or sign in another way.`
        throw new ServiceError('upstream_error', message, { cause })
      })
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: entry.scopes.join(' '),
        state: derived(token, 'state'),
        nonce: derived(token, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(derived(token, 'verifier')),
        code_challenge_method: 'S256',
      })
      return url.href
    },
    async finish({ token, redirectUri }, query) {
      try {
        return await redeemed(await describe(), token, new URL(`${redirectUri}?${query}`))
      } catch (cause) {
        if (cause instanceof AuthorizationResponseError)
          throw new ServiceError('invalid_value', `The sign-in at "${label}" was refused. Try again.`, {
            cause,
          })
        const message = `The sign-in at "${label}" failed. Try again, or sign in another way.`
        throw new ServiceError('upstream_error', message, { cause })
      }
    },
  }
}

function discovered({ issuer, clientId, clientSecret }: ProviderEntry): Promise<Configuration> {
  const execute = issuer.startsWith('http://') ? [allowInsecureRequests] : []
  const options = { timeout: timeoutSeconds, execute }
  return discovery(new URL(issuer), clientId, undefined, authenticationBy(clientSecret), options)
}

/** The method that the provider supports; OpenID Connect Discovery has `client_secret_basic` as the default. */
function authenticationBy(secret: string | undefined): ClientAuth {
  if (secret === undefined) return None()
  const [basic, post] = [ClientSecretBasic(secret), ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported
    const isBasic = methods === undefined || methods.includes('client_secret_basic')
    return (isBasic ? basic : post)(server, ...rest)
  }
}

async function redeemed(configuration: Configuration, token: string, url: URL): Promise<Person> {
  const tokens = await authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: derived(token, 'verifier'),
    expectedState: derived(token, 'state'),
    expectedNonce: derived(token, 'nonce'),
    idTokenExpected: true,
  })
  const idToken = tokens.claims()
  if (!idToken) throw new Error('the reply has no ID token')
  const { iss: issuer, sub: subject } = idToken
  // Many providers put the address and the groups only here.
  const information =
    configuration.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await fetchUserInfo(configuration, tokens.access_token, subject)
  const claims: Readonly<Record<string, unknown>> = { ...information, ...idToken }
  const { email } = claims
  return {
    ...{ issuer, subject, claims },
    email: typeof email === 'string' && email !== '' ? email : undefined,
    emailVerified: claims['email_verified'] === true,
  }
}

/** The database has only a digest of the token, from which none of them follows. */
function derived(token: string, use: 'state' | 'nonce' | 'verifier'): string {
  return derivedFrom(token, use).toString('base64url')
}
