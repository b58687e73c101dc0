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
