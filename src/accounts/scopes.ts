import { type MemberRole, memberRoles } from '../db/schema/index.ts'

type Rule = {
  /** The least role of a member that has the scope. */
  readonly least: MemberRole
  /** It changes what belongs to the whole account, or to others: only an owner-wide key can have it. */
  readonly isOwnerWide?: true
  /** Only the own person of an account has it: an operator is a person, and not the members of the account. */
  readonly isPersonal?: true
}

/** The scopes of keys and of members, in display order. */
const rules = {
  'models:read': { least: 'viewer' },
  'sources:read': { least: 'viewer' },
  'chat:write': { least: 'member' },
  'sessions:write': { least: 'member' },
  'files:read': { least: 'viewer' },
  'files:write': { least: 'member' },
  'projects:read': { least: 'viewer' },
  'projects:write': { least: 'member', isOwnerWide: true },
  'account:manage': { least: 'admin', isOwnerWide: true },
  'accounts:manage': { least: 'owner', isOwnerWide: true, isPersonal: true },
} as const satisfies Readonly<Record<string, Rule>>

export type KeyScope = keyof typeof rules

const ruleOf = (scope: KeyScope): Rule => rules[scope]

export const scopes = Object.keys(rules) as [KeyScope, ...KeyScope[]]

/** Whether only an owner-wide key can have the scope. */
export function isOwnerWide(scope: KeyScope): boolean {
  return ruleOf(scope).isOwnerWide === true
}

/** Scopes of a key that is created without naming any. */
export const defaultScopes: readonly KeyScope[] = scopes.filter((scope) => !isOwnerWide(scope))

/** Whether a role may do what needs `least`. */
export function hasRole(role: MemberRole, least: MemberRole): boolean {
  return memberRoles.indexOf(role) <= memberRoles.indexOf(least)
}

/** What a member may do, as scopes of keys. */
export function scopesOf(role: MemberRole, isOwnPerson: boolean): ReadonlySet<KeyScope> {
  return new Set(
    scopes.filter((scope) => {
      const { least, isPersonal } = ruleOf(scope)
      return hasRole(role, least) && (isOwnPerson || !isPersonal)
    }),
  )
}

/** Whether a key with these scopes may do what `scope` allows. `chat:write` includes reading the sources. */
export function allows(held: ReadonlySet<KeyScope>, scope: KeyScope): boolean {
  return held.has(scope) || (scope === 'sources:read' && held.has('chat:write'))
}

export function isScope(text: string): text is KeyScope {
  return Object.hasOwn(rules, text)
}
