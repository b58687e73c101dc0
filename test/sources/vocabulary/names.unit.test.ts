import { describe, expect, it } from 'vitest'
import { documentTerms } from '../../../src/sources/index/terms.ts'
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
    ['שם הוי׳', 'havayah'],
    ['Havaya', 'havayah'],
    ['אלהים', 'elokim'],
    ['שם א-להים', 'elokim'],
    ['Elokim', 'elokim'],
    ['אדנ"י', 'adnut'],
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
    ['סטרא אחרא', 'מבחי\' הס"א'],
    ['sitra achra', 'והס"א'],
    ['רבי משה בן מימון', 'כתב הרמב"ם'],
    ['הרמב"ם', 'רבי משה בן מימון'],
    ['Maimonides', 'הרמב"ם'],
    ['Reb Meilech', 'הרבי אלימלך מליזענסק'],
    ['Rebbe Melech', 'הרבי אלימלך מליזענסק'],
    ["ר' ברוך'ל", 'Reb Boruchl'],
    ['דו"ר', 'אהבה ויראה'],
    ['אהוי"ר', 'with love and fear'],
    ['ליובאװיטש', 'הרבי מליובאוויטש'],
    ['בש"ט', 'הבעש"ט אמר'],
    ['בעל שם טוב', 'בשם הבש"ט'],
    ['אדמו"ר הזקן', 'אדמוה"ז כתב'],
    ['אדמוה"ז', 'בעל התניא'],
    ['אדה"ז', 'the Alter Rebbe writes'],
    ['Alter Rebbe', 'רבי שניאור זלמן מלאדי'],
    ['mesiras nefesh', 'מסירת נפש'],
    ['mesiras nefesh', 'Mesirut Nefesh means'],
    ['מס"נ', 'מסירות נפש'],
    ['yihudim', 'יחוד'],
    ['Zemah Zedek', 'הצמח צדק'],
    ['Ṣemaḥ Ṣedeq', 'the Tzemach Tzedek'],
    ['Gerrer Rebbe', 'Yehuda Aryeh Leib Alter'],
    ['Rymanover', 'מנחם מנדל מרימנוב'],
    ['פארברענגען', 'התוועדות'],
    ['מיטעלער רבי', 'אדמו"ר האמצעי'],
    ['Dov Ber of Mezhirech', 'המגיד ממזריטש'],
    ['Chozeh of Lublin', 'the Seer of Lublin'],
    ['Levi Yitzhak of Berdichev', "לוי יצחק מברדיצ'ב"],
    ["ר' נחום טשערנאבלער", 'Menachem Nachum of Chernobyl'],
    ['R. Zusya of Hanipol', 'משולם זושא מאניפולי'],
    ['Sfas Emes', 'שפת אמת'],
    ['נפש אלקית', 'נפש האלהית'],
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

  it('has at least 150 abbreviations, each once', () => {
    const written = abbreviations.map(([short, long]) => `${short} ${long}`)
    expect(new Set(abbreviations.map(([short]) => short)).size).toBeGreaterThan(150)
    expect(new Set(written).size).toBe(written.length)
  })
})
