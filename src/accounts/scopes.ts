/** What a key may do, in the order in which they are shown. */
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

/** Scopes of a key that is made without naming any. */
export const defaultScopes: readonly KeyScope[] = scopes.filter((scope) => scope !== 'projects:write')

export function isScope(text: string): text is KeyScope {
  return (scopes as readonly string[]).includes(text)
}
