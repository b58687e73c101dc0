import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'
import { lazy } from '../../text/lazy.ts'

/**
 * A book of the Bible, a tractate of the Talmud, or Avot. Texts cite them much more often than libraries hold them.
 */
export type ScriptureBook = {
  /** The first name is the one in Sefaria's refs. */
  readonly english: readonly string[]
  readonly hebrew: readonly string[]
  /** `leaf`: its places are leaves with two sides instead of chapters with verses. */
  readonly division: 'chapter' | 'leaf'
}

/** English names `/` Hebrew names, with their usual abbreviations. */
const bible = `
Genesis;Gen.;Bereshit;Bereishit;Bereishis / בראשית;בר'
Exodus;Ex.;Exod.;Shemot;Shemos / שמות
Leviticus;Lev.;Vayikra / ויקרא
Numbers;Num.;Bamidbar / במדבר
Deuteronomy;Deut.;Devarim / דברים
Joshua;Josh.;Yehoshua / יהושע
Judges;Judg.;Shoftim / שופטים
I Samuel;1 Samuel;1 Sam.;I Sam.;Samuel I;Shmuel I / שמואל א;שמואל-א;ש"א
II Samuel;2 Samuel;2 Sam.;II Sam.;Samuel II;Shmuel II / שמואל ב;שמואל-ב;ש"ב
I Kings;1 Kings;Kings I;Melachim I / מלכים א;מלכים-א;מ"א
II Kings;2 Kings;Kings II;Melachim II / מלכים ב;מלכים-ב;מ"ב
Isaiah;Isa.;Is.;Yeshayahu;Yeshaya / ישעיה;ישעיהו;ישעי'
Jeremiah;Jer.;Yirmiyahu;Yirmiya / ירמיה;ירמיהו;ירמי'
Ezekiel;Ezek.;Yechezkel / יחזקאל
Hosea;Hos.;Hoshea / הושע
Joel;Yoel / יואל
Amos / עמוס
Obadiah;Obad.;Ovadiah / עובדיה
Jonah;Yonah / יונה
Micah;Mic.;Michah / מיכה
Nahum;Nah.;Nachum / נחום
Habakkuk;Hab.;Chavakuk / חבקוק
Zephaniah;Zeph.;Tzefaniah / צפניה
Haggai;Hag.;Chaggai / חגי
Zechariah;Zech.;Zechariah / זכריה;זכרי'
Malachi;Mal. / מלאכי
Psalms;Psalm;Ps.;Pss.;Tehillim;Tehilim / תהלים;תהילים;תהל'
Proverbs;Prov.;Mishlei / משלי
Job;Iyov / איוב
Song of Songs;Song;Shir HaShirim;Canticles / שיר השירים;שה"ש
Ruth;Rus / רות
Lamentations;Lam.;Eichah;Eicha / איכה
Ecclesiastes;Eccl.;Eccles.;Kohelet;Koheles / קהלת
Esther;Esth. / אסתר
Daniel;Dan. / דניאל
Ezra / עזרא
Nehemiah;Neh.;Nechemiah / נחמיה
I Chronicles;1 Chronicles;1 Chron.;I Chron.;Divrei HaYamim I / דברי הימים א;דה"א
II Chronicles;2 Chronicles;2 Chron.;II Chron.;Divrei HaYamim II / דברי הימים ב;דה"ב
Pirkei Avot;Avot;Avos;Pirkei Avos;Ethics of the Fathers / אבות;פרקי אבות;משנה אבות`

const talmud = `
Berakhot;Berachot;Berachos;Brachot;Brachos / ברכות
Shabbat;Shabbos;Shabb. / שבת
Eruvin;Eiruvin / עירובין;ערובין
Pesachim;Pes. / פסחים
Rosh Hashanah;Rosh HaShana / ראש השנה;ר"ה
Yoma / יומא
Sukkah;Succah;Sukka / סוכה
Beitzah;Beitza / ביצה
Taanit;Ta'anit;Taanis / תענית
Megillah;Meg. / מגילה
Moed Katan;Mo'ed Katan / מועד קטן;מו"ק
Chagigah;Hagigah / חגיגה
Yevamot;Yevamos;Yebamot / יבמות
Ketubot;Kesubos;Kesuvos / כתובות
Nedarim / נדרים
Nazir / נזיר
Sotah;Sota / סוטה
Gittin;Gitin / גיטין
Kiddushin;Kidushin / קידושין;קדושין
Bava Kamma;Baba Kamma;Bava Kama / בבא קמא;ב"ק
Bava Metzia;Baba Metzia / בבא מציעא;ב"מ
Bava Batra;Baba Batra;Bava Basra / בבא בתרא;ב"ב
Sanhedrin;Sanh. / סנהדרין
Makkot;Makkos;Makot / מכות
Shevuot;Shavuot;Shevuos / שבועות
Avodah Zarah;Avoda Zara / עבודה זרה
Horayot;Horayos / הוריות
Zevachim / זבחים
Menachot;Menachos / מנחות
Chullin;Hullin;Chulin / חולין
Bekhorot;Bechorot;Bechoros / בכורות
Arakhin;Arachin / ערכין
Temurah / תמורה
Keritot;Kerisos;Keritut / כריתות
Meilah;Me'ilah / מעילה
Tamid / תמיד
Niddah;Nidah / נדה;נידה`

export const scriptureBooks: readonly ScriptureBook[] = [
  ...booksOf(bible, 'chapter'),
  ...booksOf(talmud, 'leaf'),
]

function booksOf(list: string, division: ScriptureBook['division']): readonly ScriptureBook[] {
  return list
    .trim()
    .split('\n')
    .map((line) => {
      const [english = '', hebrew = ''] = line.split(' / ')
      return { english: english.split(';'), hebrew: hebrew.split(';'), division }
    })
}

const byKey = new Map<string, ScriptureBook>()
for (const keyOf of [headingKey, looseHeadingKey])
  for (const book of scriptureBooks)
    for (const name of [...book.english, ...book.hebrew])
      if (!byKey.has(keyOf(name))) byKey.set(keyOf(name), book)

/** All names, in both languages. */
export const scriptureNames: readonly string[] = scriptureBooks.flatMap(({ english, hebrew }) => [
  ...english,
  ...hebrew,
])

/** Finds the book with this name, in either language and any spelling. */
export function scriptureBook(name: string): ScriptureBook | undefined {
  const bare = name.replace(/^(?:sefer|book of|tractate|masechet|masekhet|ספר|מסכת|גמרא) /i, '')
  return byKey.get(headingKey(bare)) ?? byKey.get(looseHeadingKey(bare))
}

/** The first word of a key. */
export function firstWord(key: string): string {
  const end = key.indexOf(' ')
  return end < 0 ? key : key.slice(0, end)
}

/** The names of the books of the Bible and the Talmud by their keys, and these keys by their first words. */
const books = lazy(() => {
  const names = Map.groupBy(scriptureNames, headingKey)
  return { names, byFirstWord: Map.groupBy(names.keys(), firstWord) }
})

/** Keys of the books of the Bible and the Talmud that begin with a word. */
export function citedBookKeys(word: string): readonly string[] {
  return books().byFirstWord.get(word) ?? []
}

/**
 * The end of the name of such a book in a text, with the dot of an abbreviation: `Ps.`. Undefined if the text has the
 * letters of an abbreviation without its dot, gershayim or geresh: `Is`, `במ`.
 */
export function endOfCitedBook(text: string, start: number, end: number, key: string): number | undefined {
  const names = books().names.get(key) ?? []
  const isMarked = /["'׳״’”]/.test(text.slice(start, end))
  if (names.some((name) => !name.endsWith('.') && (isMarked || !/["']/.test(name)))) return end
  return names.some((name) => name.endsWith('.')) && text.charAt(end) === '.' ? end + 1 : undefined
}
