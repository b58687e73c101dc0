/** Route options of pages that people without an account see too. */
export const anyone = { config: { scope: 'page', page: 'anyone' } } as const

/** Route options of pages for people who have signed in. */
export const signedIn = { config: { scope: 'page', page: 'account' } } as const

/** Route options of pages for operators. */
export const operator = { config: { scope: 'page', page: 'operator' } } as const
