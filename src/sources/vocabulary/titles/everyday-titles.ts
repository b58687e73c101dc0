import { headingKey } from '../../text/heading-keys.ts'
import { isAuthorKey } from './title-groups.ts'
import { isTitleLikeTerm } from './title-heads.ts'

/**
 * Titles of one word that name nothing but a book. Other words that are titles also name persons, days or things:
 * `Esther`, `Numbers`, `אבות`.
 */
const distinct: ReadonlySet<string> = new Set(
  [
    'Tanya;Tania;Tanja;LM;L"A;Zohar;Kuzari;Bahir;Leviticus;Deuteronomy;Psalms;Tehillim;Tehilim;Ecclesiastes;Kohelet',
    'Koheles;Tanchuma;Mekhilta;Mechilta;Leshem',
    'תניא;לק"א;לקו"א;אגה"ק;אגה"ת;לקו"מ;לקו"ת;תו"א;כש"ט;זוהר;זהר;זוה"ק;כוזרי;הכוזרי;תהלים;תהילים;תנחומא;מכילתא;שו"ע',
  ]
    .join(';')
    .split(';')
    .map(headingKey),
)

/** Titles of several words that also name a person. */
const persons: ReadonlySet<string> = new Set(
  ['Baal Shem Tov', "Ba'al Shem Tov", 'בעל שם טוב', 'הבעל שם טוב'].map(headingKey),
)

/** Whether a title of several words, by its key, also names a person. */
export function isPersonTitle(key: string): boolean {
  return persons.has(key)
}

/** Whether a title, by its key, hardly occurs in a sentence without meaning the book. */
export function isDistinctTitle(key: string): boolean {
  if (isAuthorKey(key) || persons.has(key) || isTitleLikeTerm(key)) return false
  return key.includes(' ') || distinct.has(key)
}

/** English titles that are no names of persons, and words only rarely: `(Genesis 1)` is a ref, `(Daniel 5)` may be none. */
const bookish: ReadonlySet<string> = new Set(
  'Genesis;Exodus;Proverbs;Isaiah;Jeremiah;Ezekiel;Avot;Avos;Bereshit;Bereishit;Shemot;Vayikra'
    .split(';')
    .map(headingKey),
)

/** Whether such a title and one number are a ref in brackets or where the sentence says that something is written. */
export function standsForBook(key: string): boolean {
  return bookish.has(key)
}
