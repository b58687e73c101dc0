import type { Block } from './blocks.ts'

/** Fills the places of the other characters of a long mark. The comparison ignores it. */
export const filler = '\u2060'

/** Brackets that stand for quotation marks, with what may close them. */
const brackets = new Map([
  ['「', '」'],
  ['『', '』'],
  ['｢', '｣'],
  ['﹁', '﹂'],
  ['﹃', '﹄'],
  ['《', '》'],
  ['〝', '〞〟'],
  ['❝', '❞'],
  ['‟', '”'],
])
const anyBracket = /[「」『』｢｣﹁﹂﹃﹄《》〝〞〟❝❞‟]/

/** An opening mark: at the beginning of a word, or between a Hebrew prefix and its word. */
const before = "(?<=(?:^|[^\\p{L}\\p{M}\\p{N}`',«»<>])[ושהבכלמד]{0,3})"
const behind = '(?=[\\p{L}\\p{N}"\'“”„‘’`›‹([{…])'
const closes = (mark: string): string => `(?<!\\s)(?<close>${mark})(?![\\p{L}\\p{N}])`
const longest = 8_000

/** A pair of marks with words between them that do not contain `apart`, so that time stays linear. */
function pair(open: string, close: string, apart = open): RegExp {
  return new RegExp(
    `${before}(?<open>${open})${behind}(?:(?!${apart})[\\s\\S]){1,${longest}}?${closes(close)}`,
    'gu',
  )
}

const twoSigns = "(?<!')''(?!')|(?<!׳)׳׳(?!׳)|’’"
const inWord = `(?<=\\p{L})(?:''|׳׳|’’)(?=\\p{L})`
const entity = '&(?:quot|[lrb]dquo|[lr]aquo|#(?:34|171|187|822[0-2]|x201[c-e]));'
/** Pairs of more than one character, or in another order than usual. Pairs in their usual order pass unchanged. */
const pairs: readonly RegExp[] = [
  new RegExp(`«[^«»]{0,${longest}}»|${pair('»', '[«»]', '[«»]').source}`, 'gu'),
  new RegExp(`‹[^‹›]{0,${longest}}›|${pair('›', '[‹›]', '[‹›]').source}`, 'gu'),
  pair('<<', '>>', '<<|>>'),
  pair('``(?!`)', `${twoSigns}|["”]`, '``'),
  pair(',,', `${twoSigns}|["”“]|‘‘`, ',,'),
  new RegExp(
    `${before}(?<open>''|׳׳|’’|‘‘)${behind}(?:${inWord}|(?!''|׳׳|’’|‘‘)[\\s\\S]){1,${longest}}?${closes(twoSigns)}`,
    'gu',
  ),
  pair(entity, entity),
  pair('\\\\"', '\\\\"'),
  /(?<open><(?<tag>q|blockquote)(?:\s[^<>]{0,300})?>)(?:(?!<\/?(?:q|blockquote)[\s>])[\s\S]){1,8000}?(?<close><\/\k<tag>>|<(?:cite|footer)[\s>])/gu,
]
/** TeX's single marks: `words'. */
const inGrave = new RegExp(
  `${before}(?<open>\`(?!\`))${behind}(?:(?!\`)[\\s\\S]){1,${longest}}?(?<![\\s'])(?<close>'(?!'))(?![\\p{L}\\p{N}])`,
  'gu',
)

/** A text without any of these has only usual marks. */
const mayHaveOthers = /[「『｢﹁﹃《〝❝‟»›„″′＂＇‛]|<<|``|`|,,|''|׳׳|’’|‘‘|&\S|\\"|<[qb]/u

/**
 * Replaces rare forms of quotation marks by the usual ones: »…«, ``…'', ,,…'', <<…>>, 「…」, ″…″ and others. Each stays
 * as it is unless it opens or closes a pair. The length of the text stays the same, so offsets stay valid.
 */
export function withUsualMarks(text: string, blocks: () => readonly Block[]): string {
  if (!mayHaveOthers.test(text)) return text
  let made = ''
  for (const { start, end } of blocks())
    made += text.slice(made.length, start) + usualIn(text.slice(start, end))
  return made + text.slice(made.length)
}

function usualIn(block: string): string {
  let made = withUsualCharacters(block)
  if (anyBracket.test(made)) made = withUsualBrackets(made)
  for (const marks of pairs) made = made.replace(marks, (whole, ...rest) => replaced(whole, rest, '“', '”'))
  return made.replace(inGrave, (whole, ...rest) => replaced(whole, rest, '‘', '’'))
}

/** A prime behind a number is a measure: `5″`, `31° 46′`. „ at the end of a word closes. */
function withUsualCharacters(block: string): string {
  return block
    .replace(/＂|(?<!\p{N}\s?)″/gu, '"')
    .replace(/＇|(?<!\p{N}\s?)′/gu, "'")
    .replaceAll('‛', '‘')
    .replace(/(?<=[\p{L}\p{M}\p{N}.,;:!?…)\]'"])„(?![\p{L}\p{N}])/gu, '”')
}

function replaced(whole: string, rest: readonly unknown[], open: string, close: string): string {
  const groups = rest.at(-1) as { readonly open?: string; readonly close?: string }
  if (groups.open === undefined || groups.close === undefined) return whole
  const fill = (mark: string): string => filler.repeat(mark.length - 1)
  const words = whole.slice(groups.open.length, whole.length - groups.close.length)
  return `${open}${fill(groups.open)}${words}${fill(groups.close)}${close}`
}

/** Maximum number of unclosed brackets within a pair, so that time stays linear. */
const maxUnclosed = 8

function withUsualBrackets(block: string): string {
  const characters = block.split('')
  const open: number[] = []
  for (const [at, character] of characters.entries()) {
    if (brackets.has(character)) open.push(at)
    const nearest = open.slice(-maxUnclosed)
    const opener = nearest.findLastIndex((one) => brackets.get(characters[one] ?? '')?.includes(character))
    if (opener < 0) continue
    characters[nearest[opener] ?? at] = '“'
    characters[at] = '”'
    open.length -= nearest.length - opener
  }
  return characters.join('')
}
