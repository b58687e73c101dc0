import { tokenize } from '../../text/tokens.ts'
import { wordSet } from './negations.ts'

/** Words with opposite meanings, one pair of lists a line. English words stand for all their forms. */
const pairs = `
joy gladness happy happiness simcha simchah mirth cheerful | sad sadness sorrow grief gloom gloomy depression atzvut melancholy misery
good goodness | bad evil wicked wickedness
love loving | hate hatred
tzaddik tzadik righteous saint | rasha wicked sinner
light bright | dark darkness
life alive living | death dead dying
soul spirit spiritual | body bodily flesh physical
holy holiness sacred kedushah | profane secular impurity kelipah
pure purity | impure impurity defiled
true truth emet | false falsehood untrue lie sheker
humble humility anavah | proud pride arrogant arrogance gaavah
faith belief emunah | heresy doubt denial unbelief
ascend ascent rise rises raise | descend descent fall falls lower
above upper | below beneath
permitted allowed commanded | forbidden prohibited
wise wisdom sage | fool foolish folly
rich wealthy wealth | poor poverty
reward | punishment
strong strength mighty | weak weakness
near close | far distant remote
open opens opened | close closes closed shut
remember | forget
reveal revealed | hide hidden conceal concealed
inner inward inside | outer outward outside
first | last
before | after
more | less
all everything every everyone always | none nothing never
great large big | small little
war | peace
day | night
morning dawn | evening dusk
start begin | stop end cease finish
east | west
right | left
heaven heavens | earth
silence silent | speech
free freedom | slave slavery
hot | cold
שמחה שמחים שמח חדוה ששון | עצבות עצב עצבים עצוב יגון מרירות
טוב טובה טובים טובות | רע רעה רעים רעות
אהבה אוהב | שנאה שונא
צדיק צדיקים | רשע רשעים
אור אורה | חושך חשך
חיים חי | מוות מות מת מתים
נפש נשמה רוח רוחני | גוף בשר חומר גשמי
קדושה קודש קדוש | טומאה חול קליפה
טהור טהרה | טמא טומאה
אמת | שקר כזב
ענווה ענוה שפלות עניו ענו | גאווה גאוה גאוותן
אמונה | כפירה ספק
עליה עלייה עולה | ירידה יורד
מותר | אסור
חכם חכמה | טיפש כסיל שוטה סכלות
עשיר עושר | עני עוני
שכר | עונש
קרוב | רחוק
גדול גדולה | קטן קטנה
פנימי פנימיות | חיצוני חיצוניות
גלוי נגלה | נסתר נעלם
ראשון | אחרון
לפני | אחרי
מלחמה | שלום
יום | לילה
בוקר | ערב
מזרח | מערב
ימין | שמאל
שמים | ארץ
שתיקה | דיבור
חירות | עבדות
`
const listed = pairs
  .trim()
  .split('\n')
  .map((line) => line.split(' | ').map((words) => new Set([...wordSet(words)].map(stemOf))))

const hebrewPrefix = /^[ושהבכלמ](?=[א-ת]{2})/
const deniedBy = /^(?:un|in|im|non|dis|anti)/

/** Whether one word means the opposite of another: `sadness` and `joy`, `unholy` and `holy`. Both are folded. */
export function areOpposite(one: string, other: string): boolean {
  if (deniedBy.test(one) && one.replace(deniedBy, '') === other) return true
  if (deniedBy.test(other) && other.replace(deniedBy, '') === one) return true
  const [ours, theirs] = [formsOf(one), formsOf(other)]
  return listed.some(
    ([left, right]) =>
      (hasAny(left, ours) && hasAny(right, theirs)) || (hasAny(right, ours) && hasAny(left, theirs)),
  )
}

function hasAny(list: ReadonlySet<string> | undefined, words: readonly string[]): boolean {
  return words.some((word) => list?.has(word))
}

function formsOf(word: string): readonly string[] {
  return [stemOf(word), stemOf(word.replace(hebrewPrefix, ''))]
}

function stemOf(word: string): string {
  return /^[a-z]/.test(word) ? (tokenize(word)[0]?.term ?? word) : word
}
