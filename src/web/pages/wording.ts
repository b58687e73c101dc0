import { creditsNumber } from '../../billing/credits.ts'
import { hebrewAuthor } from '../../sources/library/author-names.ts'
import { ownProjectName } from '../../turns/sessions/projects.ts'
import { nameIn } from '../components/names.ts'
import type { Texts } from '../texts/catalogue.ts'

/** The exact amount in credits, with the separators of the language, such as `9,946.152`. */
export function creditsIn({ language }: Pick<Texts, 'language'>, micros: bigint): string {
  return creditsNumber(micros).toLocaleString(language, { maximumFractionDigits: 6 })
}

/** The name of a project. The one that the first question creates has its name in the language of the page. */
export function projectName({ projects }: Texts, name: string): string {
  return name === ownProjectName ? projects.own : name
}

/** An author in the language of the page; as the library writes it where no Hebrew name is known. */
export function authorName(t: Texts, author: string): string {
  return nameIn(t, { en: t.library.categoryName(author), he: hebrewAuthor(author) })
}
