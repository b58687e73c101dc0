import type { FastifyRequest } from 'fastify'
import type { Account } from '../../accounts/accounts.ts'
import type { Plans } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import { scopes } from '../../accounts/scopes.ts'

/** A person who is signed in to the pages. */
export type Visitor = {
  readonly account: Account
  /** The session's token from the cookie. */
  readonly token: string
  readonly principal: Principal
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may open a page: everybody, an account, or an account that is an operator. */
    page?: 'anyone' | 'account' | 'operator'
  }
  interface FastifyRequest {
    visitor: Visitor | null
    /** Why the request is refused once its form has been read, so that the form is not lost. */
    refusal: unknown
  }
}

/** People may see everything that their account owns; no key is involved. */
export function principalOfAccount(account: Account, plans: Plans): Principal {
  return {
    accountId: account.id,
    plan: plans.of(account.plan),
    keyId: null,
    scopes: new Set(scopes),
    binding: { kind: 'owner', projectId: null },
  }
}

/** The signed-in visitor; the hook of the pages guarantees that there is one. */
export function visitorOf(request: FastifyRequest): Visitor {
  if (!request.visitor) throw new Error('this page has no visitor')
  return request.visitor
}
