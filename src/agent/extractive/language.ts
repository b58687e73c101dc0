export type Language = 'he' | 'en'

/**
 * The language of an answer: the one that the question asks for, otherwise the one in which most of its words are. A
 * single term in the other script ("What does ביטול mean?") does not change the language.
 */
export function languageOfAnswer(question: string): Language {
  return requestedLanguage(question) ?? (isMainlyHebrew(question) ? 'he' : 'en')
}

/** The question without its request for a language, which is no search term. */
export function withoutLanguageRequest(question: string): string {
  const language = requestedLanguage(question)
  if (language === undefined) return question
  return question.replace(names[language], ' ').replaceAll(/\s+/g, ' ').trim()
}

const names = {
  he: /\b(?:in|into|to) hebrew\b|(?<![\u05d0-\u05ea])[בל]עברית(?![\u05d0-\u05ea])/iu,
  en: /\b(?:in|into|to) english\b|(?<![\u05d0-\u05ea])[בל]אנגלית(?![\u05d0-\u05ea])/iu,
} as const

/** Words that make the name of a language a request. "Was it written in Hebrew?" has none of them. */
const requestVerb =
  /\b(?:say|answer|reply|respond|explain|translate|give|quote|show|write|put|repeat|tell)\b|(?<![\u05d0-\u05ea])ת?(?:תרגמ?[םיו]?|ענה|עני|הסביר|הסבר|סביר|כתוב|אמור|גיד|גידי|ן|ני|נו|הצג|צטט)(?![\u05d0-\u05ea])/iu
/** Beside at most this many words the name of a language is a request: "In Hebrew, please". */
const fewWords = 2

function requestedLanguage(question: string): Language | undefined {
  return (['he', 'en'] as const).find((language) => {
    const found = names[language].exec(question)
    if (!found) return false
    const before = question.slice(Math.max(0, found.index - 100), found.index)
    const sentence = question.slice(before.search(/[^?!.\n]*$/) + found.index - before.length)
    return requestVerb.test(before) || wordsIn(sentence.replace(found[0], ' ')).length <= fewWords
  })
}

function isMainlyHebrew(question: string): boolean {
  const words = wordsIn(question)
  const hebrew = words.filter((word) => /[\u05d0-\u05ea]/u.test(word)).length
  return (
    hebrew * 2 > words.length || (hebrew * 2 === words.length && /^[^\p{L}]*[\u05d0-\u05ea]/u.test(question))
  )
}

function wordsIn(text: string): readonly string[] {
  return text.match(/\p{L}+(?:["'’׳״-]\p{L}+)*/gu) ?? []
}
