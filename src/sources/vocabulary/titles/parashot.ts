import { headingKey, looseHeadingKey, looseWord } from '../../text/heading-keys.ts'

/** The weekly portions of the Torah, by which many books are divided: English names, `/`, Hebrew names. */
const parashot = `
Bereshit;Bereishit;Bereshis;Bereishis / בראשית
Noach;Noah / נח
Lech Lecha;Lekh Lekha / לך לך;לך
Vayera;Vayeira / וירא
Chayei Sarah;Chayei Sara / חיי שרה
Toldot;Toledot;Toldos / תולדות;תולדת
Vayetzei;Vayetze / ויצא
Vayishlach / וישלח
Vayeshev / וישב
Miketz;Mikeitz / מקץ
Vayigash / ויגש
Vayechi / ויחי
Shemot;Shemos / שמות
Vaera;Va'era / וארא
Bo / בא
Beshalach;Beshallach / בשלח
Yitro / יתרו
Mishpatim / משפטים
Terumah / תרומה
Tetzaveh / תצוה;תצווה
Ki Tisa;Ki Sisa / כי תשא;תשא
Vayakhel / ויקהל
Pekudei / פקודי;פיקודי
Vayikra / ויקרא
Tzav / צו
Shemini / שמיני
Tazria / תזריע
Metzora / מצורע
Acharei;Acharei Mot / אחרי;אחרי מות
Kedoshim / קדושים
Emor / אמור
Behar / בהר
Bechukotai / בחוקותי;בחקתי;בחקותי;בחוקתי
Bamidbar / במדבר
Naso;Nasso / נשא
Behaalotecha;Beha'alotecha / בהעלותך;בהעלתך
Shelach;Shlach / שלח;שלח לך
Korach / קרח
Chukat;Chukas / חוקת;חקת
Balak / בלק
Pinchas / פינחס;פנחס
Matot;Matos / מטות
Masei / מסעי
Devarim / דברים
Vaetchanan;Va'etchanan / ואתחנן
Ekev;Eikev / עקב
Re'eh;Reeh / ראה
Shoftim / שופטים
Ki Teitzei;Ki Tetzei;Ki Seitzei / כי תצא;תצא
Ki Tavo;Ki Savo / כי תבוא;כי תבא;תבוא;תבא
Nitzavim / נצבים
Vayelech;Vayeilech / וילך
Haazinu;Ha'azinu / האזינו
VeZot HaBerachah;Vezot Haberakhah / וזאת הברכה`

/** Keys of the names, with the name of the portion that comes first. Exact keys come before loose ones. */
const names: ReadonlyMap<string, string> = new Map(
  [looseHeadingKey, headingKey].flatMap((keyOf) =>
    parashot.split('\n').flatMap((line) => {
      const spellings = line.split(/;| \/ /).filter((name) => name !== '')
      const keys = spellings.map(keyOf)
      // A short loose key matches ordinary words.
      return keys
        .filter((key) => !key.startsWith('~') || key.length > 3)
        .map((key) => [key, firstName(line)] as const)
    }),
  ),
)

/** The key of the first name in a line. */
function firstName(line: string): string {
  return headingKey(line.split(/;| \/ /)[0] ?? '')
}

/** Whether words are the name of a weekly portion, in either language and any spelling. */
export function isParasha(name: string): boolean {
  return nameOf(name) !== undefined
}

/** Whether a key is exactly one of the spellings: `Bechirah` sounds like `Behar` and is another word. */
export function isParashaKey(key: string): boolean {
  return names.has(key)
}

function nameOf(written: string): string | undefined {
  return names.get(headingKey(written)) ?? names.get(looseHeadingKey(written))
}

/** The first words of the names, exact and loose, because most words begin none. */
const firstWords: ReadonlySet<string> = new Set([...names.keys()].map((key) => key.split(' ')[0] ?? key))

/** Maximum words of a name. */
const maxWords = 3

/**
 * The weekly portion that begins these words, as one name for all spellings, with its number of words.
 * @param words in the form of `headingKey`.
 */
export function parashaAt(
  words: readonly string[],
): { readonly name: string; readonly words: number } | undefined {
  const [first = ''] = words
  if (!firstWords.has(first) && !firstWords.has(`~${looseWord(first)}`)) return undefined
  for (let count = Math.min(maxWords, words.length); count > 0; count -= 1) {
    const name = nameOf(words.slice(0, count).join(' '))
    if (name !== undefined) return { name, words: count }
  }
  return undefined
}

/** The first words of a portion's names, exact and loose, by the name that `parashaAt` gives it. */
export function parashaWords(name: string): readonly string[] {
  const keys = [...names].filter(([, own]) => own === name).map(([key]) => key.replace(/^~/, ''))
  return keys.map((key) => key.split(' ')[0] ?? key)
}
