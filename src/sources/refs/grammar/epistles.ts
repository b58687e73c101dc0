import { headingKey } from '../../text/heading-keys.ts'
import { otherTitleKeys } from '../../vocabulary/titles/title-groups.ts'

const letterOf =
  /^(?<title>.{2,60}?)[\s,.:;]+(?:(?:letter|epistle)s?\.?|[בהושמ]{0,2}א?יגרת|[בהושמ]{0,2}אגרת)\s+(?<number>[\dא-ת"'׳״]{1,8})$/iu
const tanya = headingKey('Tanya, Part I; Likkutei Amarim')

/**
 * Converts letters of the Tanya to epistles: `Tanya, letter 20` becomes `Iggeret HaKodesh 20`. Other refs stay as
 * they are.
 */
export function withEpistles(ref: string): string {
  const { title = '', number = '' } = letterOf.exec(ref)?.groups ?? {}
  const isTanya = title !== '' && [headingKey(title), ...otherTitleKeys(headingKey(title))].includes(tanya)
  if (!isTanya) return ref
  return /[א-ת]/.test(title) ? `אגרת הקודש ${number}` : `Iggeret HaKodesh ${number}`
}
