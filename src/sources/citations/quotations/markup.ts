import { joinNames } from './names-of-god.ts'

/** The fold ignores this character. It fills the places of others, so that offsets stay valid. */
const filler = '\u2060'
const fill = (written: string): string => filler.repeat(written.length)

/** Elements of HTML that texts and answers have. Other words in angle brackets are words. */
const tags =
  /<\/?(?:a|abbr|b|bdi|bdo|big|blockquote|br|center|cite|code|dd|del|div|dl|dt|em|font|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|q|s|small|span|strike|strong|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul|wbr)(?=[\s/>])[^<>]{0,200}>/gi

/** Matches an editor's brackets within a word: `[T]he`, `ה[ו]א`. */
const bracketedLetters =
  /(?:(?<=[\p{L}\p{M}])[[(]([\p{L}\p{M}]{1,12})[\])]|[[(]([\p{L}\p{M}]{1,12})[\])](?=\p{L}))/gu

/** A link: only its text is read. */
const link = /\[([^[\]\n]{1,300})\]\((?:https?:|mailto:|\/|#)[^\s()]{0,500}\)/g
/** Numbers of footnotes: `word¹`, `word<sup>3</sup>`. */
const noteNumber =
  /(?<=[\p{L}\p{M}.,;:!?…)\]”"’'])[¹²³⁰⁴-⁹]{1,3}|<sup(?: [^<>]{0,100})?>\s?(?:[[(]?\d{1,3}[\])]?|[*†‡]|[a-zא-ת])\s?<\/sup>/gu

/** Names of characters in HTML, with what the comparison needs of them. */
const entities: Readonly<Record<string, string>> = {
  nbsp: ' ',
  ensp: ' ',
  emsp: ' ',
  thinsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  shy: filler,
  zwnj: filler,
  zwj: filler,
  lrm: filler,
  rlm: filler,
  apos: "'",
  lsquo: '‘',
  rsquo: '’',
  quot: '"',
  ldquo: '“',
  rdquo: '”',
  amp: '&',
  lt: '<',
  gt: '>',
}
const entity = /&(?:#(\d{1,6})|#x([\da-f]{1,5})|([a-z]{2,6}));/gi

/** Replaces emphasis, tags, links, entities and numbers of footnotes by signs that the fold ignores. Offsets stay valid. */
export function hideMarkup(text: string): string {
  const plain = text.includes('&') ? text.replace(entity, decoded) : text
  return joinNames(
    plain
      .replace(link, (whole, words: string) => `${filler}${words}${fill(whole.slice(words.length + 1))}`)
      .replace(noteNumber, fill)
      .replace(tags, (tag) => (/^<br/i.test(tag) ? ' ' : filler).repeat(tag.length))
      .replace(bracketedLetters, (written) => `${filler}${written.slice(1, -1)}${filler}`),
  )
}

function decoded(written: string, decimal?: string, hex?: string, name?: string): string {
  const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
  const character = name === undefined ? characterOf(code) : entities[name.toLowerCase()]
  return character === undefined ? written : character + filler.repeat(written.length - character.length)
}

/** A character of one UTF-16 unit. */
function characterOf(code: number): string | undefined {
  return code >= 0x20 && code < 0xd800 ? String.fromCharCode(code) : undefined
}

const struck = /~~(?=\S)[^~\n]{1,2000}~~|<(del|s|strike)>[^<>]{1,2000}<\/\1>/gi

/** Styles that show nothing. */
const hidingStyles = [
  String.raw`display\s?:\s?none`,
  String.raw`visibility\s?:\s?hidden`,
  String.raw`color\s?:\s?transparent`,
  String.raw`(?:opacity|font-size)\s?:\s?0(?![.\d])`,
].join('|')

/** An attribute that hides its element. */
const hiding = String.raw`\s(?:hidden(?=[\s=\/>])|style\s?=[^<>]{0,200}?(?:${hidingStyles}))`

/** What a page does not show: comments, names of footnotes, and elements that are hidden by kind, attribute or style. */
const hidden = new RegExp(
  [
    String.raw`\[\^[^[\]\s]{1,60}\]`,
    String.raw`<!--[\s\S]{0,600}?-->`,
    String.raw`<(script|style|template|noscript|datalist)(?=[\s>])[^<>]{0,200}>[\s\S]{0,600}?<\/\1\s*>`,
    String.raw`<([a-z][\w-]{0,20})(?=[^<>]{0,300}?${hiding})[^<>]{0,500}>[\s\S]{0,600}?<\/\2\s*>`,
  ].join('|'),
  'gi',
)

/** Leaves out the words that a quotation strikes out, `~~not~~`, and those that a page does not show. */
export function withoutStruck(quote: string): string {
  const blank = (words: string): string => ' '.repeat(words.length)
  return /~~|<|\[\^/.test(quote) ? quote.replace(hidden, blank).replace(struck, blank) : quote
}

/** A hyphen at the end of a line, and the number of a footnote behind a word: `אנשים[א]`, `slowly,[1]`. */
const lineHyphen = /(?<=\p{L})[-‐]\s*\n\s*(?=[\p{Ll}\p{Lo}])/gu
const noteInBrackets =
  /(?:(?<=[א-ת\u05b0-\u05c7])\[(?:[א-ת]|[יכ][א-ט]|טו|טז)\]|(?<=[\p{L}\p{M}.,;:!?…])\[\d{1,3}\])(?=[\s.,;:!?)"”׳״]|$)/gu

/** Another reading of a quotation: divided words joined, letters and numbers in brackets as footnotes. */
export function withoutBreaks(quote: string): string {
  return quote.replace(lineHyphen, fill).replace(noteInBrackets, fill)
}

/** Letters that a writer puts before a word, `[un]holy`, are words of their own: another way to read a quotation. */
export function apartLetters(quote: string): string {
  return quote.replace(/(?<![\p{L}\p{M}])\[([\p{L}\p{M}]{1,11})\](?=\p{L})/gu, '[$1 ]')
}
