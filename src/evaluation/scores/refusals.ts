/**
 * Statements by which an answer says that it does not answer: nothing was found, the place or work does not exist or
 * is not held, or the question is for a rabbi. They are compared with the lower-case text without vowel points.
 */
const statements: readonly RegExp[] = [
  /found (no|nothing|none)\b(?! passage with most)/,
  /(could|can|did)(not| not|n['’]t) (find|locate)/,
  /\b(is|are) not (in|part of|held by) (this|the|my|our) library/,
  /\b(does|do)(n['’]t| not) (exist|hold|contain|include|have|address|discuss|mention|cover|speak)/,
  /\b(has|have|contains?|holds?) (no|nothing)\b/,
  /\bthere (is|are) no(t|thing)?\b/,
  /\b(cannot|can['’]?t|can not|unable to|won['’]t|not able to) (answer|give|provide|help|rule|decide|issue|confirm|say)/,
  /\bno such (book|work|chapter|passage|letter|section|place|text)/,
  /\b(outside|beyond) (the |my |our )?(scope|library|subject)/,
  /\b(ask|consult|turn to|contact|speak (to|with)) (a|an|your|the) ([\w-]+ )?(rabbi|rav|posek|doctor|physician|lawyer)/,
  /לא נמצא(ו|ה)?(?! קטע שבו רוב)(?=[^\u05d0-\u05ea]|$)/,
  /לא מצאתי/,
  /אינ(ו|ה|ם|ן) (קיים|קיימת|קיימים|קיימות|נמצא|נמצאת|נמצאים|מופיע|מופיעה|בספרייה|בספריה|עוסק|עוסקת)/,
  /(לא|אינו|אינה) (קיים|קיימת|מופיע|מופיעה|מחזיק|מחזיקה|כולל|כוללת)/,
  /אין (כאן |בו |בה |בהם |לי |לנו |ב?ספרי?יה |בספרי?יה זו )*(חיבור|ספר|פרק|מקור|מקורות|קטע|מידע|דבר|תשובה|אגרת|סימן|תורה)/,
  /אין (ב)?ספרי?יה|אין בספרי?יה/,
  /(אינני|איני|לא) (יכול|יכולה|מוסמך|רשאי|ניתן|פוסק)/,
  /(לשאול|לפנות|היוועץ|התייעץ|שאל|פנה|להתייעץ|להיוועץ)( את| אל| ל| עם)?[ -]?ה?ל?(רב|פוסק|מורה הוראה|רופא)/,
]

/** Characters at the beginning of an answer in which the statement must stand. */
const opening = 600

/** Quoted words are not the answer's own: lines of block quotes, and what stands in quotation marks. */
const quoted = /^[ \t]*>.*$|“[^“”]*”|„[^„”“]*[”“]|«[^«»]*»|"[^"\n]*"/gm

/**
 * Whether an answer states that it does not answer, before it cites anything. A statement after the first citation
 * limits an answer, and does not refuse it.
 * @param text the answer as shown.
 * @param citations the positions of its citations.
 */
export function statesRefusal(text: string, citations: readonly { readonly start: number }[]): boolean {
  const first = Math.min(opening, ...citations.map(({ start }) => start))
  const lead = text
    .slice(0, first)
    .replace(/([\u05d0-\u05ea])"(?=[\u05d0-\u05ea])/g, '$1\u05f4')
    .replaceAll(quoted, ' ')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\s+/g, ' ')
  return statements.some((statement) => statement.test(lead))
}
