import { createServer } from 'node:http'
import Provider from 'oidc-provider'
import { close, listenAt } from './loopback.ts'
import { openVisitor, type TestVisitor } from './visitor.ts'

/** What the provider says of a person, besides `sub`. */
export type Claims = Readonly<Record<string, unknown>>

export type IdentityProvider = {
  readonly issuer: string
  /** The people by the name with which they sign in, which is also their `sub`. */
  readonly people: Map<string, Claims>
  /** Knows these addresses of the service from now on. */
  serve(redirectUris: string[]): void
  /**
   * Signs in at the provider, which the service named.
   * @returns the path at the service to which the provider sends the person back.
   */
  signIn(address: string, login: string): Promise<string>
  close(): Promise<void>
}

export const clientId = 'lamps'
export const clientSecret = 'a secret that client and provider share'

/** A real OpenID Connect provider on loopback, with forms that accept every login. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const people = new Map<string, Claims>()
  const server = createServer()
  const issuer = await listenAt(server)
  return {
    issuer,
    people,
    serve(redirectUris) {
      const provider = new Provider(issuer, {
        clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
        claims: { openid: ['sub', 'groups', 'tier'], email: ['email', 'email_verified'] },
        scopes: ['openid', 'email', 'profile'],
        cookies: { keys: ['a key for cookies'] },
        findAccount: (_, sub) => ({ accountId: sub, claims: async () => ({ sub, ...people.get(sub) }) }),
      })
      server.on('request', provider.callback())
    },
    async signIn(address, login) {
      const visitor = openVisitor({ url: issuer })
      return afterForms(visitor, issuer, address.slice(issuer.length), login)
    },
    close: () => close(server),
  }
}

/** Follows redirects and sends the forms for the login and the consent. */
async function afterForms(
  visitor: TestVisitor,
  issuer: string,
  path: string,
  login: string,
): Promise<string> {
  const response = await visitor.get(path)
  const location = response.headers.get('location')
  if (location !== null) {
    const target = new URL(location, issuer)
    if (target.origin !== issuer) return target.pathname + target.search
    return afterForms(visitor, issuer, target.pathname + target.search, login)
  }
  const page = await response.text()
  const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
  if (prompt === undefined) throw new Error(`the provider answered ${response.status}: ${page}`)
  const sent = await visitor.post(path, { prompt, login, password: 'any' })
  const next = new URL(sent.headers.get('location') ?? '/', issuer)
  return afterForms(visitor, issuer, next.pathname + next.search, login)
}
