const functionWords = new Set(
  `a about above after again all also am an and any are as at be because been before being between both but by can
  could did do does doing down during each few for from further had has have having he her here hers him his how i if
  in into is it its itself just me might more most my no nor not now of off on once one only or other our out over own
  same she should so some such than that the their them then there these they this those through to too under until up
  upon us very was we were what when where which while who whom whose why will with would you your yours shall may
  must say says said tell explain meaning mean according describe called`.split(/\s+/),
)

export function isEnglishStopWord(word: string): boolean {
  return functionWords.has(word)
}

const vowel = /[aeiouy]/

/** Whether the stem contains a vowel (y counts after a consonant). */
function hasVowel(stem: string): boolean {
  return vowel.test(stem.startsWith('y') ? stem.slice(1) : stem)
}

/** Number of vowel-consonant sequences, the `m` of Porter's algorithm. */
function measure(stem: string): number {
  return (stem.replace(/^[^aeiouy]+/, '').match(/[aeiouy]+[^aeiouy]+/g) ?? []).length
}

/**
 * Matches consonant-vowel-consonant at the end, the last not w, x or y. Such a stem has lost an `e` (`hop(e)ing`).
 */
const shortSyllable = /[^aeiou][aeiouy][^aeiouywx]$/

/** Suffixes and their replacements, by the minimum measure of the stem. Longest first. */
const endings: readonly (readonly [suffix: string, replacement: string, least: number])[] = [
  ['ational', 'ate', 1],
  ['ization', 'ize', 1],
  ['fulness', 'ful', 1],
  ['ousness', 'ous', 1],
  ['iveness', 'ive', 1],
  ['tional', 'tion', 1],
  ['biliti', 'ble', 1],
  ['aliti', 'al', 1],
  ['iviti', 'ive', 1],
  ['ation', 'ate', 1],
  ['alism', 'al', 1],
  ['ously', 'ous', 1],
  ['fully', 'ful', 1],
  ['ness', '', 1],
  ['ement', '', 2],
  ['ment', '', 2],
  ['ence', '', 2],
  ['ance', '', 2],
  ['able', '', 2],
  ['ible', '', 2],
  ['ful', '', 1],
  ['ous', '', 2],
  ['ive', '', 2],
  ['ism', '', 2],
  ['sion', 's', 2],
  ['tion', 't', 2],
  ['ate', '', 2],
  ['ize', '', 2],
  ['ise', '', 2],
  ['al', '', 2],
  ['li', '', 1],
]

/**
 * Returns the stem of a lower-case English word, after M. F. Porter, "An algorithm for suffix stripping" (1980), with
 * its steps 2 to 4 as one table. Words with equal stems count as forms of one word; a stem need not be a word.
 */
export function englishStem(word: string): string {
  if (word.length <= 3) return word
  let stem = word
    .replace(/sses$/, 'ss')
    .replace(/ies$/, 'i')
    .replace(/([^su])s$/, '$1')
  const past = /^(.*?)(?:ed|ing)$/.exec(stem)?.[1]
  if (stem.endsWith('eed')) stem = measure(stem.slice(0, -3)) > 0 ? stem.slice(0, -1) : stem
  else if (past !== undefined && hasVowel(past)) stem = restore(past)
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`
  stem = strip(strip(stem))
  if (stem.endsWith('e')) {
    const short = stem.slice(0, -1)
    const m = measure(short)
    if (m > 1 || (m === 1 && !shortSyllable.test(short))) stem = short
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem
}

function strip(stem: string): string {
  for (const [suffix, replacement, least] of endings) {
    if (!stem.endsWith(suffix)) continue
    const rest = stem.slice(0, -suffix.length)
    return measure(rest) >= least ? rest + replacement : stem
  }
  return stem
}

function restore(past: string): string {
  if (/(?:at|bl|iz)$/.test(past)) return `${past}e`
  if (/([^aeioulsz])\1$/.test(past)) return past.slice(0, -1)
  return measure(past) === 1 && shortSyllable.test(past) ? `${past}e` : past
}

/**
 * Returns the spelling class of a transliterated Hebrew word: `chassidut`, `hasidut` and `chasidus` have the same
 * one. Undefined for words that are too short to be distinguished from English ones.
 */
export function transliterationSkeleton(word: string): string | undefined {
  const skeleton = word
    .replace(/(?:os|oth|ot|ois|o)$/, 'ot')
    .replace(/(?:us|uth|ut)$/, 'ut')
    .replace(/(?:es|eth|et|as|ath|at)$/, 'at')
    .replace(/ch|kh/g, 'h')
    .replace(/tz|ts/g, 'z')
    .replace(/ck|[qc]/g, 'k')
    .replace(/ph/g, 'f')
    .replace(/sh/g, 'S')
    .replace(/th/g, 't')
    .replace(/w/g, 'v')
    .replace(/ei|ey|ee|ea/g, 'e')
    .replace(/ai|ay|[iy]+/g, 'i')
    .replace(/oo|ou/g, 'u')
    .replace(/(?<=.)e(?=.)/g, '')
    .replace(/(.)\1+/g, '$1')
    .replace(/h$/, '')
  return skeleton.length >= 5 ? skeleton : undefined
}
