import type { Anchor } from './quotes.ts'

/** Something in the text that reads like a ref; `end` exclusive, UTF-16 units. */
export type RefCandidate = {
  readonly start: number
  readonly end: number
  /** Ways to read it, the longest first: the words before a title may belong to the sentence. */
  readonly readings: readonly string[]
  /** It has the form of a ref whatever the title is: `Sefer X 3:4`, `Berakhot 5a`. */
  readonly certain: boolean
}

/**
 * What the library says about one ref; `nearest` are refs that exist under the same title, likeliest first. With
 * `similarTitles` they may stand under another title when the library does not know this one.
 */
export type RefLookup = (
  ref: string,
  similarTitles?: boolean,
) => Promise<{ readonly exists: boolean; readonly nearest: readonly string[] }>

/** One ref of the text, or one that was asked for. `nearest` is null if it exists or nothing is near. */
export type RefCheck = { readonly ref: string; readonly exists: boolean; readonly nearest: string | null }

const number =
  /(?<![\p{L}\p{N}:.])\d{1,4}[a-d]?(?:[:.]\d{1,4}[a-d]?)*(?:[–-](?:\d{1,4}[a-d]?(?:[:.]\d{1,4}[a-d]?)*|(?<=[a-d][–-])[a-d]))?(?![\p{L}\p{N}])/gu
/** A title right before the number: words with capitals, joined by small connecting words, commas and semicolons. */
const title =
  /(?:\p{Lu}[\p{L}\p{M}'’-]*|[IVX]{1,6})(?:[,;]? (?:(?:of|the|on|and|al|ha|de|le|be|va) )?(?:\p{Lu}[\p{L}\p{M}'’-]*|[IVX]{1,6})){0,9} $/u
/** Words with a capital before a number that make no title by themselves. */
const noTitle = wordSet(
  'chapter chapters part section page pages verse verses volume vol book letter year step point note line paragraph ' +
    'number no rabbi january february march april may june july august september october november december monday ' +
    'tuesday wednesday thursday friday saturday sunday shabbat nissan iyar sivan tammuz av elul tishrei cheshvan ' +
    'kislev tevet adar',
)
/** Words that begin sentences: some titles begin with them, too, but a missing ref is named without them. */
const sentenceWords = wordSet(
  'in on at by to of as so if it is i he she we they the a an and or but for from see cf compare about since until ' +
    'around this that thus also',
)
const longestTitle = 120
const mostReadings = 8

/**
 * Finds refs written in plain Latin letters, such as `Tanya, Part I; Likkutei Amarim 32:4` or `Berakhot 5a`. Hebrew
 * refs are not looked for: their numbers are letters, which words are, too.
 */
export function findPlainRefs(text: string): readonly RefCandidate[] {
  const candidates: RefCandidate[] = []
  let from = 0
  for (const match of text.matchAll(number)) {
    const lead = text.slice(Math.max(from, match.index - longestTitle), match.index)
    const words = title.exec(lead)?.[0]
    if (words === undefined) continue
    const readings = readingsOf(words.trimEnd()).map((name) => `${name} ${match[0].replace('–', '-')}`)
    const first = readings[0]
    if (first === undefined) continue
    const end = match.index + match[0].length
    const start = match.index - words.length + words.lastIndexOf(first.slice(0, first.lastIndexOf(' ')))
    candidates.push({ start, end, readings, certain: /[:ab]/.test(match[0]) })
    from = end
  }
  return candidates
}

/** The title with fewer and fewer words at its beginning. */
function readingsOf(words: string): readonly string[] {
  const parts = words.split(' ')
  const isTitle = (part: string): boolean => !noTitle.has(bare(part)) && !sentenceWords.has(bare(part))
  return parts
    .map((_, i) => parts.slice(i))
    .filter((rest) => /^\p{Lu}/u.test(rest[0] ?? '') && rest.some(isTitle))
    .map((rest) => rest.join(' '))
    .slice(0, mostReadings)
}

function bare(word: string): string {
  return word.toLowerCase().replace(/[,;]$/, '')
}

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(' '))
}

export type ResolvedRef = { readonly check: RefCheck; readonly anchor: Anchor }

/**
 * Asks the library about each candidate. One that has only a title and a number (`Tanya 54`) is reported missing only
 * if the library knows that title: `Room 54` is no ref.
 *
 * @param mostLookups further candidates are left out.
 */
export async function resolvePlainRefs(
  candidates: readonly RefCandidate[],
  resolve: RefLookup,
  mostLookups = 300,
): Promise<readonly ResolvedRef[]> {
  const known = new Map<string, ReturnType<RefLookup>>()
  const ask = (ref: string): ReturnType<RefLookup> | undefined => {
    const asked = known.get(ref) ?? (known.size < mostLookups ? lookUp(ref, resolve) : undefined)
    if (asked !== undefined) known.set(ref, asked)
    return asked
  }
  const resolved: ResolvedRef[] = []
  for (const candidate of candidates) {
    const check = await checkReadings(candidate, ask)
    const { start, end } = candidate
    if (check !== undefined) resolved.push({ check, anchor: { start, end, keys: [check.ref] } })
  }
  return resolved
}

/** The first reading that exists; else the first whose title is known; else, for a certain ref, the longest. */
async function checkReadings(
  { readings, certain }: RefCandidate,
  ask: (ref: string) => ReturnType<RefLookup> | undefined,
): Promise<RefCheck | undefined> {
  let known: RefCheck | undefined
  let asked: RefCheck | undefined
  for (const ref of readings) {
    const answer = await ask(ref)
    if (answer === undefined) break
    if (answer.exists) return { ref, exists: true, nearest: null }
    const nearest = answer.nearest[0]
    if (!sentenceWords.has(bare(ref.split(' ')[0] ?? ''))) asked ??= { ref, exists: false, nearest: null }
    if (nearest !== undefined) known ??= { ref, exists: false, nearest }
  }
  return known ?? (certain ? asked : undefined)
}

/** A range exists if it does as a whole or its beginning does. */
async function lookUp(ref: string, resolve: RefLookup): ReturnType<RefLookup> {
  const answer = await resolve(ref)
  const first = ref.replace(/-[\d:.a-d]+$/, '')
  if (answer.exists || first === ref) return answer
  const begins = await resolve(first)
  return begins.exists ? begins : answer
}
