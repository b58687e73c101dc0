/** Minimum letters of an inflected word. Forms of shorter words are other words: `אש` with a suffix is `אשה`. */
const shortestInflected = 3

/** Plural and construct endings, and the most frequent possessive ones; in medial letters. */
const feminine = ['ת', 'ות', 'תו', 'תה', 'תי', 'תכ', 'תמ', 'תנו', 'ותיו', 'ותיה', 'ותינו', 'ותיהמ']
const masculine = ['ימ', 'ינ', 'י', 'ו', 'יו', 'יה', 'כ', 'נו', 'ינו', 'יהמ']
const abstract = ['ו', 'י', 'כ', 'נו', 'מ', 'א']

/**
 * Generates possible inflected forms of a Hebrew noun. Many do not exist; looking them up in the index leaves the
 * existing ones.
 * @param term in medial letters, as `tokenize` makes it.
 */
export function inflectionsOf(term: string): readonly string[] {
  if (term.length < shortestInflected || !/^[א-ת]+$/.test(term)) return []
  if (term.endsWith('ה')) return feminine.map((ending) => term.slice(0, -1) + ending)
  if (term.endsWith('ת')) return abstract.map((ending) => term + ending)
  if (/(?:ימ|ינ|יו)$/.test(term)) return []
  return masculine.map((ending) => term + ending)
}
