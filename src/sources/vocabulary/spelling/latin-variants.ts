/** Spellings of one consonant: the whole word takes the first, then the second one, and so on. */
const consonants: readonly (readonly [written: RegExp, spellings: readonly string[]])[] = [
  [/sch|sz/g, ['sh']],
  [/cz|c(?![hk])/g, ['tz', 'k']],
  [/w/g, ['v']],
  [/j/g, ['y']],
  [/kh|ch/g, ['ch', 'kh', 'h']],
  [/tz|ts/g, ['tz', 'ts', 'z']],
]

/** Endings of Yiddish and Ashkenazi pronunciation, and those of the usual transliterations. */
const endings: readonly (readonly [ending: RegExp, others: readonly string[]])[] = [
  [/(?:ah|eh|oh|[aeo])$/, ['ah', 'a', 'o']],
  [/(?:ess|es|os|oys|ois|oth|as|ath)$/, ['ot', 'os', 'ut', 'us', 'at', 'as', 'et']],
  [/(?:us|uth|ys)$/, ['ut', 'us']],
  [/[eiy]m$/, ['im', 'um']],
  [/e([ln])$/, ['u$1', 'o$1']],
]

/** Maximum number of variants: all combinations of a word with every consonant above. */
const maxVariants = 128

/**
 * How others transliterate a word: with other letters for a consonant, and with another ending. The list is for
 * looking words up in a library; `sound-distance` compares two given words.
 * @param word in lower-case letters from a to z.
 */
export function latinVariants(word: string): ReadonlySet<string> {
  let found: readonly string[] = [word]
  for (const [written, spellings] of consonants)
    found = found.flatMap((one) =>
      one.search(written) < 0 ? [one] : spellings.map((spelling) => one.replace(written, spelling)),
    )
  const ended = found.flatMap((one) => [one, ...withOtherEndings(one)])
  const softened = ended.flatMap((one) => (one.includes('b') ? [one, one.replace(/(?<=.)b/g, 'v')] : [one]))
  return new Set(softened.slice(0, maxVariants))
}

function withOtherEndings(word: string): readonly string[] {
  const [ending, others = []] = endings.find(([one]) => one.test(word)) ?? []
  return ending ? others.map((other) => word.replace(ending, other)) : []
}
