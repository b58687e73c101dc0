import { ServiceError } from '../errors.ts'
import type { Plan } from './plans.ts'
import type { KeyScope } from './scopes.ts'

/** Who is asking. Handlers and domain code see this, never a header or a key. */
export type Principal = {
  readonly accountId: string
  readonly plan: Plan
  /** The API key in use; null for a person signed in to the web pages. */
  readonly keyId: string | null
  readonly scopes: ReadonlySet<KeyScope>
  readonly binding: Binding
}

/**
 * `project`: sees that project only. `dedicated`: the same, and the project is made on first use (null until then).
 * `owner`: sees every project of the account; `projectId` is the API project used when none is named.
 */
export type Binding =
  | { readonly kind: 'project'; readonly projectId: string }
  | { readonly kind: 'dedicated'; readonly projectId: string | null }
  | { readonly kind: 'owner'; readonly projectId: string | null }

/**
 * The project a bound principal is confined to; null for an owner-wide one. A dedicated key without a project yet
 * is confined to nothing at all, which no real id equals.
 */
export function confinedTo(principal: Principal): string | null {
  return principal.binding.kind === 'owner' ? null : (principal.binding.projectId ?? '')
}

/** @throws ServiceError `missing_scope`. */
export function requireScope(principal: Principal, scope: KeyScope): void {
  if (!principal.scopes.has(scope)) {
    throw new ServiceError(
      'missing_scope',
      `This API key lacks the scope "${scope}". Make a key that has it.`,
    )
  }
}
