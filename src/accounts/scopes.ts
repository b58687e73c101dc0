/** The scopes of keys, in display order. */
export const scopes = [
  'models:read',
  'sources:read',
  'chat:write',
  'sessions:write',
  'files:read',
  'files:write',
  'projects:read',
  'projects:write',
  'account:manage',
  'accounts:manage',
] as const

export type KeyScope = (typeof scopes)[number]

/** Scopes that change what belongs to the whole account, or to others. Only an owner-wide key can have them. */
export const ownerScopes: readonly KeyScope[] = ['projects:write', 'account:manage', 'accounts:manage']

/** Scopes of a key that is created without naming any. */
export const defaultScopes: readonly KeyScope[] = scopes.filter((scope) => !ownerScopes.includes(scope))

/** Whether a key with these scopes may do what `scope` allows. `chat:write` includes reading the sources. */
export function allows(held: ReadonlySet<KeyScope>, scope: KeyScope): boolean {
  return held.has(scope) || (scope === 'sources:read' && held.has('chat:write'))
}

export function isScope(text: string): text is KeyScope {
  return (scopes as readonly string[]).includes(text)
}
