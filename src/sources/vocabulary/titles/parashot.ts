import { headingKey, looseHeadingKey } from '../../text/heading-keys.ts'

/** The weekly portions of the Torah, by which many books are divided: English names, `/`, Hebrew names. */
const parashot = `
Bereshit;Bereishit / בראשית
Noach / נח
Lech Lecha;Lekh Lekha / לך לך;לך
Vayera;Vayeira / וירא
Chayei Sarah;Chayei Sara / חיי שרה
Toldot;Toledot / תולדות
Vayetzei;Vayetze / ויצא
Vayishlach / וישלח
Vayeshev / וישב
Miketz;Mikeitz / מקץ
Vayigash / ויגש
Vayechi / ויחי
Shemot / שמות
Vaera;Va'era / וארא
Bo / בא
Beshalach;Beshallach / בשלח
Yitro / יתרו
Mishpatim / משפטים
Terumah / תרומה
Tetzaveh / תצוה
Ki Tisa;Ki Sisa / כי תשא;תשא
Vayakhel / ויקהל
Pekudei / פקודי
Vayikra / ויקרא
Tzav / צו
Shemini / שמיני
Tazria / תזריע
Metzora / מצורע
Acharei;Acharei Mot / אחרי;אחרי מות
Kedoshim / קדושים
Emor / אמור
Behar / בהר
Bechukotai / בחוקותי;בחקתי
Bamidbar / במדבר
Naso;Nasso / נשא
Behaalotecha;Beha'alotecha / בהעלותך
Shelach;Shlach / שלח;שלח לך
Korach / קרח
Chukat / חוקת;חקת
Balak / בלק
Pinchas / פינחס;פנחס
Matot / מטות
Masei / מסעי
Devarim / דברים
Vaetchanan;Va'etchanan / ואתחנן
Ekev;Eikev / עקב
Re'eh;Reeh / ראה
Shoftim / שופטים
Ki Teitzei;Ki Tetzei / כי תצא;תצא
Ki Tavo / כי תבוא;תבוא
Nitzavim / נצבים
Vayelech / וילך
Haazinu;Ha'azinu / האזינו
VeZot HaBerachah;Vezot Haberakhah / וזאת הברכה`

const keys: ReadonlySet<string> = new Set(
  parashot.split(/[\n;]| \/ /).flatMap((name) => {
    const loose = looseHeadingKey(name)
    // A short loose key matches ordinary words.
    return name === '' ? [] : [headingKey(name), ...(loose.length > 3 ? [loose] : [])]
  }),
)

/** Whether words are the name of a weekly portion, in either language and any spelling. */
export function isParasha(name: string): boolean {
  return keys.has(headingKey(name)) || keys.has(looseHeadingKey(name))
}
