/** The scopes of keys, in display order. */
export const scopes = [
  'models:read',
  'chat:write',
  'sessions:write',
  'files:read',
  'files:write',
  'projects:read',
  'projects:write',
] as const

export type KeyScope = (typeof scopes)[number]

/** Scopes of a key that is created without naming any. */
export const defaultScopes: readonly KeyScope[] = scopes.filter((scope) => scope !== 'projects:write')

export function isScope(text: string): text is KeyScope {
  return (scopes as readonly string[]).includes(text)
}
