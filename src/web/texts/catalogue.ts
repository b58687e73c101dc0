import { type EnglishTexts, en } from './en/index.ts'
import type { Language } from './grammar/language.ts'
import { he } from './he/index.ts'

/** All texts of the pages in one language: a group per page, the groups of all pages, and numbers and dates. */
export type Texts = EnglishTexts

const catalogue: Readonly<Record<Language, Texts>> = Object.freeze({ en, he })

export function textsIn(language: Language): Texts {
  return catalogue[language]
}

export { type Language, languages } from './grammar/language.ts'
