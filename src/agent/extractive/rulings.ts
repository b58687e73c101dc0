/**
 * Recognises questions for a halachic ruling or a personal decision, in English and Hebrew. They are for a rabbi. A
 * question about a teaching, a book or history is not one, even if it speaks of what is permitted. Gaps between words
 * have a maximum length, because the search for their end would otherwise take quadratic time.
 */

/** A form of words, and what must be or must not be beside it. */
type RulingPattern = {
  /** What the words do. */
  readonly name: string
  readonly pattern: RegExp
  /**
   * `always`: the words suffice. `practice`: they also occur in questions about teachings, so the question must speak
   * of a practice of halacha or a decision of life, and ask for no teaching.
   */
  readonly when: 'always' | 'practice'
}

/** Begins and ends a Hebrew word. `\b` knows Latin letters only. */
const start = '(?<![\\u05d0-\\u05ea])'
const end = '(?![\\u05d0-\\u05ea])'
const hebrew = (words: string): RegExp => new RegExp(`${start}(?:${words})${end}`, 'u')

const patterns: readonly RulingPattern[] = [
  {
    name: 'requests a ruling',
    pattern:
      /\b(?:give|issue|need|want|get|make)\b(?: (?:me|us|a|an|your|the|halachic|halakhic|clear|final|practical)){0,4} (?:ruling|psak|pesak|heter)\b|\b(?:please|can you|could you|will you) (?:pasken|paskin|rule)\b|\b(?:pasken|paskin|rule) for (?:me|us)\b/i,
    when: 'always',
  },
  {
    name: 'leaves a decision to the service',
    pattern:
      /\bdecide (?:it |this )?for (?:me|us)\b|\b(?:tell|advise) (?:me|us) (?:what|how|whether) (?:(?:i|we) should|to) (?:decide|choose)\b|\bwhat should (?:i|we) (?:decide|choose)\b|\b(?:i am|i['’]m|we are|we['’]re) (?:torn|undecided)\b|\b(?:i|we) (?:cannot|can['’]t) decide (?:whether|if)\b/i,
    when: 'always',
  },
  {
    name: 'asks what the speaker may or must do',
    pattern:
      /(?<!\bwhy )\b(?:am i|are we)(?: still| also| really)? (?:allowed|permitted|forbidden|prohibited|obligated|obliged|required|exempt)\b|(?:^|[.:;,!?–—-] ?|\b(?:and|so|or|then) )may (?:i|we)\b(?! (?:ask|know)\b)/i,
    when: 'always',
  },
  {
    name: 'asks for the law of a case',
    pattern:
      /^(?:dear )?(?:rabbi|rav|rebbe), (?=.*\?)|\bwhat(?: is|['’]s) the (?:halach?ah?|halakhah?|din|law)\b(?=,? (?:if|when|about|for|regarding|concerning|on|in|with)\b)|\bwhat does (?:halach?ah?|halakhah?|jewish law) (?:say|require|demand|allow)\b|\b(?:is|are) [\w' -]{1,40} (?:kosher|treif)\b(?! (?:animal|species|food)s?\b)|\b(?:which|what) (?:berachah?|brach?ah?|blessing) (?:do|should|must) (?:i|we|you|one)\b|\b(?:need|have) to be kashered\b|\b(?:until when|how long) (?:do|must|should) (?:i|we) say\b/i,
    when: 'always',
  },
  {
    name: 'asks about a deed',
    pattern:
      /\b(?:is|are) (?:it|one|we|women|men|children)(?: \w+)? (?:okay|ok|alright|all right|fine|allowed|permitted|permissible|forbidden|prohibited|assur|mutar|required|obligated)\b|\b(?:is|would) (?:it|this)(?: be)? (?:okay|ok|alright|all right|fine)\b|\b(?:can|could|should|must) (?:i|we|my [a-z]+)\b|\bdo (?:i|we) (?:have|need) to\b|\b(?:is|are) [\w' -]{1,60} (?:permitted|allowed|forbidden|prohibited|permissible)\?|\b(?:may|must|can) (?:one|women|men|children|a (?:man|woman|jew|person|child))\b|\bhow (?:long|many hours|many minutes)\b.{0,500}\b(?:wait|after)\b/i,
    when: 'practice',
  },
  {
    name: 'requests a ruling (Hebrew)',
    pattern: hebrew(
      '(?:ת?פסוק|תפסקי|פסקי|תפסקו|פסוק נא|לפסוק) (?:לי|לנו)|(?:צריך|צריכה|מבקש|מבקשת|רוצה|אבקש|תן לי|תני לי|תנו לי) (?:לקבל )?(?:פסק(?: הלכה| דין)?|היתר|הוראה)|הלכה למעשה',
    ),
    when: 'always',
  },
  {
    name: 'leaves a decision to the service (Hebrew)',
    pattern: hebrew(
      '(?:הכרע|תכריע|תכריעי|הכריעי|החלט|תחליט|תחליטי|החליטי|להכריע|להחליט)(?: נא| בבקשה)? (?:בשבילי|עבורי|בשבילנו|עבורנו|במקומי)|מה (?:להחליט|לבחור)|(?:מתלבט|מתלבטת|מתלבטים) אם',
    ),
    when: 'always',
  },
  {
    name: 'asks what the speaker may or must do (Hebrew)',
    pattern: hebrew(
      '(?<!(?:למה|מדוע) )(?:מותר|מותרת|אסור|אסורה) (?:לי|לנו)|(?:האם )?(?:אני|אנחנו|אנו) (?:עדיין )?(?:חייב|חייבת|חייבים|פטור|פטורה|פטורים|רשאי|רשאית|מחויב|מחויבת)|האם (?:עלי|עליי|עלינו)|(?:כדאי|עדיף) (?:לי|לנו)',
    ),
    when: 'always',
  },
  {
    name: 'asks for the law of a case (Hebrew)',
    pattern: hebrew(
      'מה (?:ה?דין|ההלכה) (?:אם|כאשר|כש[א-ת]+|לגבי|בעניין|בענין|במי|ב?מקרה|של מי|במקרה|למי|בנוגע)|(?:שכחתי|טעיתי|התבלבלתי|איחרתי|בישלתי|הדלקתי|כיביתי|נפל לי|נפלה לי|נפלו לי|נשבר לי)(?= .{0,500}(?:האם|מה|צריך|חייב))|(?:איזו ברכה|מה) (?:אני מברך|אני מברכת|אני צריך לברך|מברכים)|איזו ברכה|(?:עד מתי|כמה זמן) (?:אומרים|אומר)|איך מכשירים|כשר(?:ה|ים|ות)? לפסח|(?:הזה|הזאת|הזו|האלה|שלי|שלנו) (?:כשר|כשרה|כשרים|כשרות|טרף|טריפה)',
    ),
    when: 'always',
  },
  {
    name: 'asks about a deed (Hebrew)',
    pattern: hebrew(
      '(?:האם )?(?:מותר|אסור|אפשר|ניתן|צריך|צריכים|חייב|חייבת|חייבים|חובה|רשאי|רשאית|רשאים|מותרת|אסורה|חייבות|מתיר|מתירים|בסדר|מה כדאי)|(?:מה|כמה זמן|כמה שעות|מתי) (?:עלי|עליי|עלינו|צריך|חייבים|יש)|אני יכול|אני יכולה|מה ההלכה|מה הדין',
    ),
    when: 'practice',
  },
]

/** Subjects of practical halacha and decisions of life. */
const practices = new RegExp(
  [
    "\\b(?:shabbat|shabbos|shabbes|yom[ -]?tov|pesach|passover|chol[ -]hamoed|yom kippur|tisha b['’]?av|nine days|three weeks|omer|tammuz|sukkah|kosher|treif|meat|meaty|milk|milky|dairy|cheese|chicken|ch?ametz|kitniyot|gelatin|wine|kiddush|havdalah|tefillin|tzitzit|tallit|mezuzah|kaddish|minyan|berachah?|brach?ah?|grace after meals|candles?|niddah|muktzeh|shofar|mincha[h]?|ma['’]?ariv|friday night|eruv|ribbit|yaaleh|yaaleh veyavo|shave|shaving|electric\\w*|fast(?:ing)?|restaurant|converts?|conversion|adopt|halach?\\w*|halakh\\w*)\\b",
    '\\b(?:marry|divorce|college|university|army|wedding|engagement|wife|husband|fianc[eé]e?|surgery|operation|abortion|medicine|pills?|doctor|job|resign|sue|invest|mortgage|vote|move to|emigrate)\\b',
    '(?<![\\u05d0-\\u05ea])[בלהמושכ]{0,3}(?:שבת|יו["״]ט|יום טוב|חול המועד|פסח|יום כיפור|תשעה באב|בין המצרים|ספירת העומר|סוכה|בשר|חלב|גבינה|בשרי|חלבי|כשר|כשרה|כשרות|חמץ|קטניות|יין|קידוש|הבדלה|תפילין|ציצית|טלית|מזוזה|קדיש|מניין|ברכה|ברכת המזון|נידה|מוקצה|עירוב|ריבית|גילוח|חשמל|חשמלי|צום|לצום|מנחה|ערבית|שקיעה|יעלה ויבוא|פלטה|ברית מילה|הלכה|שופר|הלל|מזגן|חלה|נדר|נדרים)(?![\\u05d0-\\u05ea])',
    '(?<![\\u05d0-\\u05ea])(?:[בלהוש]{0,2}(?:שידוך|ניתוח|חתונה|גירושין|עבודה חדשה|מקום עבודה|משכנתא|תרופות?|הפלה)|להתגרש|להתחתן|להינשא|להתפטר|לעבור ל[א-ת]+|לתבוע|להתגייר)(?![\\u05d0-\\u05ea])',
  ].join('|'),
  'iu',
)

/** Words of a question about a teaching, a book, a person or history. */
const teachings = new RegExp(
  [
    '^\\W*(?:why|who|whom|whose|which|where|how (?:did|does|do)|what (?:is|are|was|were|does|do|did) (?!the (?:halach|halakh|din|law)))',
    '\\b(?:according to|in the view of) (?!(?:the )?(?:halach|halakh|law|shulchan))',
    '\\b(?:inner|deeper|mystical|spiritual) (?:meaning|reason)|\\breasons?\\b|\\bchassid|\\bchasid|\\btany[ai]\\b|\\bteach(?:es|ing|ings)?\\b',
    `^[^\\u05d0-\\u05ea]*(?:למה|מדוע|מי|מהו|מהי|מהם|מהן|איפה|היכן|איך|כיצד|מה (?:אומר|אומרת|כותב|מלמד|פירוש|הטעם|טעם|עצת|ההבדל|משמעות|אסרו|התירו))${end}`,
    `${start}(?:לפי|על פי|לדעת|לשיטת) (?!ה?(?:הלכה|דין|שולחן))`,
    `${start}[בהלמוש]{0,2}(?:חסידות|חסידים|תניא|טעם|פנימי|פנימית|רבי נחמן|בעל שם טוב)${end}`,
  ].join('|'),
  'iu',
)

/** A question for a reason is about teachings, even if it speaks of what the speaker may do. */
const asksWhy = /^\W*why\b|^[^\p{L}]*(?:למה|מדוע)(?![\u05d0-\u05ea])/iu

/** Whether a question asks for a halachic ruling or a personal decision. */
export function asksForRuling(question: string): boolean {
  const asked = question.normalize('NFC').replace(/[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c7]/g, '')
  if (asksWhy.test(asked)) return false
  const isPractical = practices.test(asked) && !teachings.test(asked)
  return patterns.some(({ pattern, when }) => (when === 'always' || isPractical) && pattern.test(asked))
}
