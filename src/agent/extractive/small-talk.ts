import { asksInHebrew } from './requests/language.ts'
import { wording } from './wording.ts'

/**
 * Messages that ask nothing of the library: a greeting, thanks, or a question about the service. A search for their words
 * would find passages about something else.
 */

/** `works`: asks which works the library holds. */
export type SmallTalk = 'greeting' | 'thanks' | 'service' | 'works'

const forms: readonly (readonly [SmallTalk, RegExp])[] = [
  [
    'works',
    /^[^\p{L}]*(?:hi|hello|shalom)?[^\p{L}]*(?:(?:what|which) (?:other )?(?:texts?|books?|works?|sources?|s[ei]?[fph]{1,2}[ao]rim|titles) (?:do you (?:have|hold|know)|are (?:there|available|here|in (?:the|this|your) library)|does (?:the|this|your) library (?:have|hold|contain))|(?:list|show me) (?:all )?(?:of )?(?:the |your )?(?:works|books|texts|titles)(?: (?:that )?(?:you have|in (?:the|this|your) library))?|what(?: is|['’]s) in (?:the|this|your) library)(?: (?:here|please|now))?[^\p{L}]*$/iu,
  ],
  [
    'works',
    /^[^\p{L}]*(?:(?:אילו|איזה|מה|איזו) (?:ה?(?:ספרים|טקסטים|חיבורים|מקורות)) (?:יש|נמצאים|קיימים|שיש)(?: (?:לכם|לך|כאן|פה))?(?: (?:ב|שב)ספריי?ה(?: (?:הזאת|הזו|שלכם|שלך))?)?|מה יש (?:לכם |לך )?בספריי?ה(?: \S+)?|רשימת ה?ספרים)[^\p{L}]*$/u,
  ],
  [
    'service',
    /^[^\p{L}]*(?:(?:hi|hello|hey|shalom)[^\p{L}]+)?(?:(?:so |and )?(?:who|what) (?:are|r) you|what (?:can|do) you (?:do|know)|what can i ask(?: you)?|how do(?:es)? (?:you|this) work|what is this (?:service|site|website|bot|app)|are you (?:an? )?(?:ai|bot|robot|human|person|rabbi|chatgpt|real)|help(?: me)?)(?: (?:and what (?:can|do) you (?:do|know)|here|please|then|exactly|for me|now|really|with|today|about|in this library))*[^\p{L}]*$/iu,
  ],
  [
    'service',
    /^[^\p{L}]*(?:שלום[^\p{L}]+)?(?:מי אתה|מי את|מה אתה|מה את (?:יודעת|יכולה)|מה אפשר לשאול|איך זה עובד|מה זה האתר הזה|מה זה השירות הזה|אתה (?:בוט|רובוט|רב|בן אדם))(?: (?:ומה אתה|יודע|יכול|כאן|פה|בבקשה|לעשות|בדיוק|בעצם|אותך|לי))*[^\p{L}]*$/u,
  ],
  [
    'greeting',
    /^[^\p{L}]*(?:hi|hello|hey|hiya|shalom(?: aleichem)?|good (?:morning|evening|afternoon|day)|(?:good|gut) (?:shabbos|shabbes|vokh|yom tov)|שלום(?: עליכם| לך| רב| וברכה)?|היי|הי|בוקר טוב|ערב טוב|צהריים טובים|שבוע טוב|שבת שלום|גוט שבת|גוט וואך|גוט מארגן|מה שלומך|מה נשמע|how are you)(?: there)?[^\p{L}]*(?:how are you|מה שלומך|מה נשמע)?[^\p{L}]*$/iu,
  ],
  [
    'thanks',
    /^[^\p{L}]*(?:(?:ok(?:ay)?|great|wow|אוקיי|מעולה|יפה|מצוין)[^\p{L}]+)?(?:thanks?(?: you)?|thx|ty|todah?|ok(?:ay)?|great|cool|got it|bye|goodbye|yash?er koach|תודה|תודות|אוקיי|מעולה|יפה|מצוין|הבנתי|יי?שר כו?ח|להתראות|א דאנק)(?: (?:so much|very much|a lot|rabbah?|again|רבה|רבה לך|לך|לכם|שוב|מאוד))*[^\p{L}]*$/iu,
  ],
]

/** What kind of small talk a message is; undefined for a question. */
export function smallTalk(message: string): SmallTalk | undefined {
  const text = message.trim()
  return text.length > maxLength ? undefined : forms.find(([, form]) => form.test(text))?.[0]
}

/** Longer messages ask something. */
const maxLength = 120

const maxListed = 20

/** The answer to small talk. `listed` is the result of `list_works`, if the turn has that tool. */
export function answerToSmallTalk(
  talk: SmallTalk,
  message: string,
  listed: Readonly<Record<string, unknown>> | undefined,
): string {
  const inHebrew = asksInHebrew(message)
  const say = inHebrew ? wording.he : wording.en
  if (talk === 'thanks') return say.thanks
  if (talk === 'greeting') return `${say.greeting} ${say.service}`
  const works = listed?.['works']
  if (typeof listed?.['unavailable'] === 'string') return listed['unavailable']
  if (talk === 'service' || !Array.isArray(works)) return say.service
  if (works.length === 0) return say.noWorks
  const more = works.length > maxListed || listed?.['truncated'] === true
  const titles = works.slice(0, maxListed).map((work) => `- ${titleOf(work, inHebrew)}`)
  const count = listed?.['truncated'] === true ? `${works.length}+` : String(works.length)
  return [say.works(count), ...titles, ...(more ? [say.moreWorks] : [])].join('\n')
}

function titleOf(work: Readonly<Record<string, unknown>> | null, inHebrew: boolean): string {
  const [title, hebrew] = [work?.['title'], work?.['heTitle']]
  return inHebrew && typeof hebrew === 'string' && hebrew !== '' ? hebrew : String(title ?? '')
}
