import { isHebrewStopWord } from '../../text/hebrew.ts'
import { lazy } from '../../text/lazy.ts'
import { tokenize } from '../../text/tokens.ts'

/**
 * Words of asking, such as "which", and of the form of an answer, such as "essay". They are indexed, because a text may be about them, but they are ignored in a
 * question with other words.
 */
const hebrew = `אילו איזו איזה מהו מהי מהם מהן מיהו מיהי מיהם היכן איפה מאיפה מאין מנין מניין כיצד מדוע למה איך מתי האם
  ייתכן יתכן אפשר בעצם בדיוק בכלל דווקא דוקא הרי כלומר לגבי בנוגע אודות פירוש הפירוש פירושו הכוונה הסבר הסבירו הסבירי
  תסביר תסבירו תסבירי מסביר מסבירה נקרא נקראת נקראים נקראות קוראים אומר אומרת אומרים כתוב כתובה כתובים כתב כתבה כתבו חיבר
  חיברה מוזכר
  מוזכרת מוזכרים מובא מובאת מובאים מלמד מלמדת עושים לעשות מובן לומר קורה קרה ההבדל הבדל הקשר משמעות המשמעות
  משמעותו משמעותה צריך צריכים כדאי רוצה רציתי אני אנחנו לדעת שואל
  סכם סכמי תסכם תסכמי בקצרה בקיצור בפירוט תן תני תנו הכן הכיני צור דף דפי מקורות קובץ מסמך תרגם תרגמי תרגום תספר
  תספרי לספר אתה הערך`

/** Pronouns, prepositions with endings, and adverbs. No question is about them. */
const pronouns = `עליו עליה עליהם עליהן עליך עליי עלינו אליו אליה אליהם אליך אליי אלינו שלו שלה שלהם שלהן שלי שלנו
  שלך שלכם איתו איתה איתי איתנו איתם עמו עמה עמי עמנו עמהם אותי אותך אותנו אתכם ממני ממך מהם מהן מאיתנו ביניהם
  ביניהן מביניהם מביניהן בינינו אצלי אצלו בשבילי בשביל עבור כלפי לעומת מדי סתם לגמרי כאשר כשהוא כשהיא כשאין מישהו
  משהו שום אילו עכשיו כבר עדיין אולי ממש כמה כזה כזאת כאלה הזה הזאת הזו האלה האלו ההוא ההיא אחרת איזשהו בכך מכל
  בכל לכל ובכל ומכל`

const english = `please explain explains explained tell describe define definition meaning mean means meant say says said
  teach teaches taught write writes written wrote passage passages question
  discuss discusses mention mentions mentioned concerning regarding concept idea explanation answer
  difference between happen happens exactly really actually someone something anything does
  according called named give gives example talk talks speak speaks
  essay essays paragraph paragraphs sentences bullet points overview summary summarize summarise outline briefly
  prepare handout sheet sheets file files document documents docx pdf html translate everything help tomorrow`

/** Verbs, pronouns and adverbs that most sentences could have. Few articles have one, so it would weigh much. */
const plainEnglish = `come comes came become becomes became go goes went make makes made making take takes took taken get gets got
  put puts let lets try tries trying ask asks asked thing things every ever never always sometimes still already though
  although whether rather away without along toward towards else enough much many able himself herself itself oneself
  myself yourself themselves anyone everyone cant cannot dont doesnt didnt isnt arent wasnt wont couldnt shouldnt im`

/** Yiddish question words, articles and prepositions, which are written in Hebrew letters. */
const yiddish = `וואס וואָס ווער ווי וואו ווען פארוואס פארוואָס וועלכע וועלכער איז זענען געווען געוועסן האט האבן זיין
  דער די דאס דאָס דעם דען א אן און אדער אז פון פֿון צו מיט אין אויף ביי וועגן פאר נאך איבער אונטער נישט ניט קיין
  מען איך מיר דו ער זי עס זיי אונז איר אים זיך נאר אבער אויך שוין דא דארט וואלט מוז זאל וויל קען קאן
  ווערט הייסט מיינט זאגט שרייבט לערנט טוט טאן גייט קומט`

/** Words of questions about a book or a person as such. A name beside them is the subject of the question. */
const facts = `author authors authored compiler compile compiled edit edited editor print printed prints publish published
  publication publisher compose composed appear appeared first year date city town born birth die died death passed away
  buried burial grave life live lived biography history compare compared comparison versus vs
  מחבר המחבר מחברו חיברו עורך ערך נערך הדפיס נדפס נדפסה הודפס הודפסה יצא יצאה לאור פורסם פורסמה ראה אור שנה שנת השנה בשנה
  באיזו באיזה לראשונה ראשון עיר בעיר נולד נולדה נפטר נפטרה מת נקבר קבור קבורתו חי חייו חיי תולדות תולדותיו
  נכתב נכתבה חובר חוברה השווה השווי השוואה להשוות`

const termsOf = (words: string) => new Set(tokenize(words).map((token) => token.term))
const fillers = lazy(() => termsOf(`${hebrew} ${pronouns} ${english} ${plainEnglish} ${yiddish}`))
const hebrewFillers = lazy(() => termsOf(`${hebrew} ${pronouns}`))
const factWords = lazy(() => termsOf(facts))

/** Whether a word of a query asks for a fact about what it names: `printed`, `נולד`. */
export function isFactWord(term: string): boolean {
  return factWords().has(term)
}

/**
 * Prefixes with which a filler or function word stays one: `ולמה`, `שאומרים`, `האילו`. Before two letters, ש and ה
 * usually begin another word: `שמן`, `שער`, `העם`.
 */
const leading = /^(?:ו(?=[א-ת]{2})|[שה](?=[א-ת]{3}))/

/** Whether a word of a query is only a word of asking. */
export function isFiller(term: string): boolean {
  const rest = term.replace(leading, '')
  return fillers().has(term) || (rest !== term && (hebrewFillers().has(rest) || isHebrewStopWord(rest)))
}

/** Phrases that only ask for the meaning of letters. Their single words may be the subject of a question. */
const phrases = ['ראשי תיבות', 'ראשי התיבות', 'stands for', 'short for'].map((phrase) =>
  tokenize(phrase).map(({ term }) => term),
)

/** Whether the word at this index of a query belongs to such a phrase. */
export function isInFillerPhrase(words: readonly { readonly term: string }[], at: number): boolean {
  return phrases.some((phrase) =>
    phrase.some((_, back) => phrase.every((term, i) => words[at - back + i]?.term === term)),
  )
}
