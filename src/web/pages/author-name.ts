import { hebrewAuthor } from '../../sources/library/author-names.ts'
import { nameIn } from '../components/names.ts'
import type { Texts } from '../texts/catalogue.ts'

/** An author in the language of the page; as the library writes it where no Hebrew name is known. */
export function authorName(t: Texts, author: string): string {
  return nameIn(t, { en: t.library.categoryName(author), he: hebrewAuthor(author) })
}
