import type { FastifyRequest } from 'fastify'
import type { Account } from '../../accounts/accounts.ts'
import type { MemberRole } from '../../accounts/members/members.ts'
import type { Plans } from '../../accounts/plans.ts'
import type { Principal } from '../../accounts/principal.ts'
import { scopesOf } from '../../accounts/scopes.ts'
import type { SignedIn } from '../../accounts/sign-in/web-sessions.ts'

/** A person who is signed in to the pages, and acts for the own account or for one as its member. */
export type Visitor = {
  /** The account acted for. */
  readonly account: Account
  readonly role: MemberRole
  /** Acts for that account. */
  readonly principal: Principal
  /** The own account of the person. */
  readonly person: Account
  /** Acts for the own account of the person, whatever account the pages act for. */
  readonly personal: Principal
  /** The session's token from the cookie. */
  readonly token: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Who may open a page: everybody, an account, or an account that is an operator. */
    page?: 'anyone' | 'account' | 'operator'
    /**
     * The least role in the account acted for that a page of accounts needs. `person`: it is about the person, who may
     * always open it. A page that only reads needs `viewer` unless it says otherwise; one that changes must say it.
     */
    role?: MemberRole | 'person'
  }
  interface FastifyRequest {
    visitor: Visitor | null
    /** Why the request is refused once its form has been read, so that the form is not lost. */
    refusal: unknown
  }
}

/** The visitor of a session. */
export function visitorWith(found: SignedIn, token: string, plans: Plans): Visitor {
  const { account, person, role } = found
  const personal = principalOfAccount(person, plans)
  const scopes = scopesOf(role, account.id === person.id)
  const principal = { ...principalOfAccount(account, plans), memberId: person.id, scopes }
  return { account, role, principal, person, personal, token }
}

/** What the person of an account may do with it; no key is involved. */
export function principalOfAccount(account: Account, plans: Plans): Principal {
  return {
    accountId: account.id,
    memberId: account.id,
    plan: plans.of(account.plan),
    keyId: null,
    scopes: scopesOf('owner', true),
    binding: { kind: 'owner', projectId: null },
  }
}

/** The signed-in visitor; the hook of the pages guarantees that there is one. */
export function visitorOf(request: FastifyRequest): Visitor {
  if (!request.visitor) throw new Error('this page has no visitor')
  return request.visitor
}
