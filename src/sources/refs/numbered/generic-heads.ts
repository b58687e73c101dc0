/** Words before a title that say what kind of text it is. People leave them out or add them: `זמירות ב ע"א` for `מסכת זמירות`. */
const hebrewHeads = ['ספר', 'מסכת', 'מסכתא', 'קונטרס', 'סידור', 'מגילת', 'מדרש']
const latinHeads = ['sefer', 'the', 'tractate', 'masechet', 'masekhet', 'kuntres', 'siddur', 'midrash']
const headOf = new RegExp(
  `^(?:${[...hebrewHeads, ...latinHeads, 'maseches', 'mesechta', 'book of'].join('|')})\\s+`,
  'iu',
)

/** A shorter rest is too common a word to be a title. */
const shortestTitle = 3

/** The same title without such a word, and with each other one. */
export function withOtherHeads(title: string): readonly string[] {
  const rest = title.replace(headOf, '')
  if (rest.replace(/[^\p{L}]/gu, '').length < shortestTitle) return []
  const heads = /^[א-ת]/u.test(rest) ? hebrewHeads : latinHeads
  return [...new Set([rest, ...heads.map((head) => `${head} ${rest}`)])].filter((other) => other !== title)
}
