import { describe, expect, it } from 'vitest'
import { documentTerms } from '../../../src/sources/index/terms.ts'
import { hebrewAuthor } from '../../../src/sources/library/author-names.ts'
import { parseQuery } from '../../../src/sources/search/expansion/query.ts'
import { abbreviations } from '../../../src/sources/vocabulary/abbreviations.ts'

/** Terms of the query, of both scripts, that the index holds of a text. */
function met(query: string, text: string): readonly string[] {
  const { frequencies } = documentTerms(text)
  return parseQuery(query).concepts.flatMap(({ terms }) =>
    [...terms.keys()].filter((t) => frequencies.has(t)),
  )
}

describe('names of God', () => {
  const texts = {
    havayah: 'שם הוי"ה בחילוף אתוון',
    elokim: 'שם אלקים הוא בחינת צמצום',
    adnut: 'שם א-דני הוא היכל',
    shaddai: 'שם ש-די',
    el: 'שם א-ל בחסד',
  }
  it.each([
    ['הויה', 'havayah'],
    ['ידו"ד', 'havayah'],
    ['Havaya', 'havayah'],
    ['אלהים', 'elokim'],
    ['Elokim', 'elokim'],
    ['Adnai', 'adnut'],
    ['שדי', 'shaddai'],
    ['Shakai', 'shaddai'],
    ['א-ל', 'el'],
  ] as const)('%s finds the texts on its own name alone', (query, own) => {
    for (const [name, text] of Object.entries(texts))
      expect([name, met(query, text.replace('שם', '')).length > 0]).toEqual([name, name === own])
  })

  it('are all found by a question about God, and not the reverse', () => {
    expect(met('God', 'אלקים ברא')).not.toEqual([])
    expect(met("ה'", 'הויה')).not.toEqual([])
    expect(met('הויה', "ה' אחד")).toEqual([])
  })
})

describe('names and abbreviations', () => {
  it.each([
    ['ס"א', 'הסטרא אחרא'],
    ['sitra achra', 'והס"א'],
    ['רבי משה בן מימון', 'כתב הרמב"ם'],
    ['Maimonides', 'הרמב"ם'],
    ["ר' ברוך'ל", 'Reb Boruchl'],
    ['דו"ר', 'אהבה ויראה'],
    ['אהוי"ר', 'with love and fear'],
    ['ליובאװיטש', 'הרבי מליובאוויטש'],
    ['בש"ט', 'הבעש"ט אמר'],
    ['אדמו"ר הזקן', 'אדמוה"ז כתב'],
    ['Alter Rebbe', 'רבי שניאור זלמן מלאדי'],
    ['mesiras nefesh', 'מסירת נפש'],
    ['מס"נ', 'מסירות נפש'],
    ['Zemah Zedek', 'הצמח צדק'],
    ['Ṣemaḥ Ṣedeq', 'the Tzemach Tzedek'],
    ['Gerrer Rebbe', 'Yehuda Aryeh Leib Alter'],
    ['פארברענגען', 'התוועדות'],
    ['מיטעלער רבי', 'אדמו"ר האמצעי'],
    ["ר' נחום טשערנאבלער", 'Menachem Nachum of Chernobyl'],
    ['R. Zusya of Hanipol', 'משולם זושא מאניפולי'],
    ['sovev kol olmin', 'סוכ"ע'],
    ['Berdichev', 'אב בית דין דברדיטשוב'],
    ["דעם אלטער רבי'ס", 'the Alter Rebbe'],
    ['הרה"מ', 'Maggid of Mezritch'],
    ['סניגורן של ישראל', 'Levi Yitzchak of Berditchev'],
    ['זושא', 'Zusha of Anipoli'],
  ])('%s finds "%s"', (query, text) => {
    expect(met(query, text)).not.toEqual([])
  })

  it.each([
    ['ארץ ישראל', 'אי אפשר'],
    ['Ein Sof', 'in safe hands'],
    ['sitra achra', 'the outer side'],
    ['אין סוף', 'אסר'],
    ['Baruch of Medzhybizh', 'Baruch of Kosov'],
  ])('%s does not take "%s" for a name', (query, text) => {
    expect(met(query, text).filter((term) => term.includes(':'))).toEqual([])
  })

  it('have each abbreviation once', () => {
    const written = abbreviations.map(([short, long]) => `${short} ${long}`)
    expect(new Set(written).size).toBe(written.length)
  })
})

it.each([
  ['Yisrael Hopstein of Kozhnitz', "מגיד מקוז'ניץ"],
  ['Rabbi Elimelech Weisblum of Lizhensk', 'אלימלך מליזנסק'],
  ['Elimelech Weisblum, Lezajsk', 'אלימלך מליזנסק'],
  ['Menachem Nachum Twersky of Tchernobyl', 'מנחם נחום מטשרנוביל'],
  ['Nathan Sternhartz from Nemirov', 'נתן מברסלב'],
  ['Israel Hopstein, Maggid of Kozhnitz', "מגיד מקוז'ניץ"],
  ['Nachman of Breslov and Natan of Breslov', 'נחמן מברסלב, נתן מברסלב'],
  ['Yisrael Hopstein of Cracow', ''],
  ['Levi Yitzchak Derbaremdiger of Berditchev', ''],
  ['Some Body of Kotzk', ''],
])('the author "%s" has the Hebrew name "%s"', (author, hebrew) => {
  expect(hebrewAuthor(author)).toBe(hebrew)
})
