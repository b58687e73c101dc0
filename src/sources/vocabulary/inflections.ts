/** Shorter words have forms that are other words: `אש` with a suffix is `אשה`. */
const shortestInflected = 3

/** Endings of the plural and the construct, and the commonest possessive ones; all in medial letters. */
const feminine = ['ת', 'ות', 'תו', 'תה', 'תי', 'תכ', 'תמ', 'תנו', 'ותיו', 'ותיה', 'ותינו', 'ותיהמ']
const masculine = ['ימ', 'ינ', 'י', 'ו', 'יו', 'יה', 'כ', 'נו', 'ינו', 'יהמ']
const abstract = ['ו', 'י', 'כ', 'נו', 'מ', 'א']

/**
 * What a Hebrew noun may look like besides itself. Many of these forms do not exist; they are looked up in an index,
 * which has those that do.
 * @param term in medial letters, as `tokenize` makes it.
 */
export function inflectionsOf(term: string): readonly string[] {
  if (term.length < shortestInflected || !/^[א-ת]+$/.test(term)) return []
  if (term.endsWith('ה')) return feminine.map((ending) => term.slice(0, -1) + ending)
  if (term.endsWith('ת')) return abstract.map((ending) => term + ending)
  if (/(?:ימ|ינ|יו)$/.test(term)) return []
  return masculine.map((ending) => term + ending)
}
