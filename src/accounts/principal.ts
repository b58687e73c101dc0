import { ServiceError } from '../errors.ts'
import type { KeyDefaults } from './key-defaults.ts'
import type { Plan } from './plans.ts'
import { allows, isOwnerWide, type KeyScope } from './scopes.ts'

/** Who sends a request. Handlers and domain code use this and never see headers or keys. */
export type Principal = {
  /** The account acted for: on the pages that of the person, or one that the person is a member of. */
  readonly accountId: string
  /** The own account of the person that asks, or that made the API key. Absent or null: nobody knows. */
  readonly memberId?: string | null
  readonly plan: Plan
  /** The API key. Null for a person who is signed in to the web pages. */
  readonly keyId: string | null
  readonly scopes: ReadonlySet<KeyScope>
  readonly binding: Binding
  /** Rate limit of the key beside that of the plan. Absent or null: none. */
  readonly keyRequestsPerMinute?: number | null
  /** Ranges of addresses from which the key may be used. Absent or null: any. */
  readonly allowedAddresses?: readonly string[] | null
  /** What the key's requests mean where they do not say it. */
  readonly defaults?: KeyDefaults
}

/**
 * What a key can see. `project`: that project only. `dedicated`: its own project, created on first use (null
 * until then). `owner`: every project of the account; `projectId` is the default for requests that name none.
 */
export type Binding =
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'dedicated'; readonly projectId: string | null }
  | { readonly kind: 'owner'; readonly projectId: string | null }

/**
 * The only project that a bound principal can see; null for an owner-wide one. A dedicated key without a
 * project gets the empty string, which matches no id.
 */
export function confinedTo(principal: Principal): string | null {
  return principal.binding.kind === 'owner' ? null : (principal.binding.projectId ?? '')
}

/**
 * Checks that the principal has a scope. A key that is bound to a project cannot have those of an owner, whatever its row says.
 * @throws ServiceError `missing_scope`.
 */
export function requireScope(principal: Principal, scope: KeyScope): void {
  if (!allows(principal.scopes, scope)) {
    throw new ServiceError(
      'missing_scope',
      `This API key lacks the scope "${scope}". Use a key with this scope.`,
    )
  }
  if (isOwnerWide(scope) && principal.binding.kind !== 'owner') {
    throw new ServiceError(
      'missing_scope',
      `The scope "${scope}" works with owner-wide keys only, and this API key is bound to a project.`,
    )
  }
}
