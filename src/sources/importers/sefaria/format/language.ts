/** Languages in Hebrew script that the library's texts may have. */
const hebrewScript = new Set(['he', 'arc', 'yi', 'jrb', 'jpr', 'lad'])

/** Words that are frequent in one language and rare in Sefaria's other languages in Latin script. */
const frequentWords: Readonly<Record<string, readonly string[]>> = {
  en: ['the', 'of', 'and', 'to', 'is', 'that', 'with', 'for', 'his', 'was'],
  es: ['el', 'los', 'las', 'y', 'del', 'por', 'con', 'una', 'su', 'como'],
  fr: ['le', 'les', 'et', 'des', 'du', 'est', 'dans', 'qui', 'une', 'il'],
  pt: ['o', 'os', 'e', 'do', 'da', 'não', 'uma', 'com', 'ao', 'são'],
  it: ['il', 'di', 'che', 'gli', 'della', 'per', 'non', 'sono', 'una', 'è'],
  de: ['der', 'die', 'und', 'das', 'den', 'nicht', 'ist', 'ein', 'zu', 'mit'],
}

export type DetectedLanguage = {
  /** ISO 639 code that the version is stored with. */
  readonly language: string
  /** What the report says about a doubtful language. */
  readonly warning?: string
}

type Header = { readonly language: string; readonly actualLanguage: string; readonly versionTitle: string }

/**
 * Determines the language of a version. Sefaria's `language` only names the script, and `actualLanguage` is sometimes
 * wrong. So the script and the most frequent words of the text decide.
 * @param sample some thousand characters of the text.
 */
export function detectLanguage(header: Header, sample: string): DetectedLanguage {
  const declared = declaredLanguage(header)
  const letters = sample.match(/\p{L}/gu)?.length ?? 0
  if (letters === 0) return { language: declared }
  const hebrew = (sample.match(/[\u05d0-\u05ea\ufb1d-\ufb4f]/g)?.length ?? 0) / letters
  if (hebrewScript.has(declared)) {
    if (hebrew > 0.4 || declared === 'lad') return { language: declared }
    const found = latinLanguage(sample) ?? 'und'
    return {
      language: found,
      warning: `marked "${declared}", but its letters are not Hebrew: stored as "${found}"`,
    }
  }
  if (hebrew > 0.6) {
    return { language: 'he', warning: `marked "${declared}", but its letters are Hebrew: stored as "he"` }
  }
  const found = declared === 'en' ? latinLanguage(sample) : undefined
  if (found === undefined || found === declared) return { language: declared }
  return {
    language: found,
    warning: `marked "${declared}", but its words are "${found}": stored as "${found}"`,
  }
}

/** The language in the title of older versions, such as `Bible du Rabbinat 1899 [fr]`. */
function declaredLanguage(header: Header): string {
  const bracketed = /\[([a-z]{2,3})\]\s*$/.exec(header.versionTitle)?.[1]
  const named = header.actualLanguage.toLowerCase() || header.language.toLowerCase()
  const code = bracketed && (named === 'en' || named === '') ? bracketed : named
  return /^[a-z]{2,3}$/.test(code) ? code : 'und'
}

/** The language that most of the frequent words belong to, if the result is clear. */
function latinLanguage(sample: string): string | undefined {
  const words = sample.toLowerCase().match(/\p{L}+/gu) ?? []
  if (words.length < 8) return undefined
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const scores = Object.entries(frequentWords)
    .map(([language, frequent]) => ({
      language,
      share: frequent.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / words.length,
    }))
    .sort((a, b) => b.share - a.share)
  const [first, second] = scores
  if (!first || !second || first.share < 0.08 || first.share < second.share * 1.5) return undefined
  return first.language
}

const machineNames =
  /chat\s?gpt|\bgpt-?\d|\bgemini\b|google\s+translat|\bdeepl\b|\bLLM\b|large language model|machine[- ](?:generated|made|translat)|automatic(?:ally)?[- ]translat|artificial intelligence|\bclaude (?:ai|\d|sonnet|opus|haiku)/i

/** Only these spellings: `ai` is a French word, and Ai is a city in Canaan. */
const machineInitials = /\bAI\b|\bA\.I\.|\bAi(?=\s+(?:translat|generat|version)|\s*$)/

/** Whether a version is a machine translation, according to its title or its notes. */
export function isMachineMade(versionTitle: string, versionNotes: string): boolean {
  return [versionTitle, versionNotes].some((text) => machineNames.test(text) || machineInitials.test(text))
}
