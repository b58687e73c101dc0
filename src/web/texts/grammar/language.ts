/** The languages of the pages. */
export const languages = ['en', 'he'] as const

export type Language = (typeof languages)[number]

export type Direction = 'ltr' | 'rtl'
