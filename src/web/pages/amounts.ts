import { creditsNumber } from '../../billing/credits.ts'
import type { Texts } from '../texts/catalogue.ts'

/** The exact amount in credits, with the separators of the language, such as `9,946.152`. */
export function creditsIn({ language }: Pick<Texts, 'language'>, micros: bigint): string {
  return creditsNumber(micros).toLocaleString(language, { maximumFractionDigits: 6 })
}
