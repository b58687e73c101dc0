import type { Hit } from './passages.ts'

const requests =
  /\b(?:briefly|in brief|in short|in a nutshell|in (?:one|a|two|a few) (?:sentences?|lines?|words)|(?:short|brief) (?:answer|summary|definition|explanation|overview)|more shortly|shorter|tl;?dr)\b|(?<![\u05d0-\u05ea])(?:בקצרה|בקיצור|בתמצית|ב(?:משפט|שני משפטים|כמה מילים|כמה משפטים)|תשובה קצרה|הסבר קצר|סיכום קצר|הגדרה קצרה|תקצר|בקורצן)(?![\u05d0-\u05ea])/iu

const allRequests = new RegExp(requests, 'giu')
const summarise = /\b(?:summari[sz]e|sum up)\b|(?<![\u05d0-\u05ea])ת?סכ(?:ם|מי|מו)(?![\u05d0-\u05ea])/giu

/** Whether the question asks for a short answer, in English, Hebrew or Yiddish. */
export function asksForBrevity(question: string): boolean {
  return requests.test(question)
}

/** The question without its request for a short answer, whose words are no search terms. */
export function withoutBrevityRequest(question: string): string {
  return question.replaceAll(allRequests, ' ').replaceAll(summarise, ' ').replaceAll(/\s+/g, ' ').trim()
}

/** A second place is kept only if the question names it as much as the best one: it compares them. */
const nearBest = 0.5

/** The places of a short answer: the best, and a second one that the question names by its title. */
export function fewest(places: readonly Hit[]): readonly Hit[] {
  const [best, ...others] = places
  if (best === undefined) return []
  const second = others.find(({ titled, coverage }) => titled && coverage >= best.coverage * nearBest)
  return second && best.titled && best.coverage < 1 ? [best, second] : [best]
}
