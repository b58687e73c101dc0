import type { Html } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** What to do about a book that is missing: operators add it, and others ask them. */
export function missingBook({ library }: Texts, isOperator: boolean): Html | string {
  return isOperator ? library.addBooks : library.missingBook
}
