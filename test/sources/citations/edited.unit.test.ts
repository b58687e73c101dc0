import { describe, expect, it } from 'vitest'
import { quoteChecker } from '../../support/quote-library.ts'

const filler = 'The lamps along the quay are lit one after another by the keeper. '.repeat(12)
const library = Object.entries({
  'Desires 1':
    'Desires still rise in his heart, but he refuses to dwell on them. Nothing in his nature has changed.',
  'Year 1': 'He left the city at the end of 1812 (a cold year) while fleeing from the army.',
  'Kings 1': 'Two kings fight over one [small] city, and the animal soul, nefesh (נפש הבהמית), gives life.',
  'Joy 1': 'Joy does not mean denying pain. The mourner sings, and no one may stop a mourner.',
  'Gladness 1':
    "Gladness is not an ornament but a condition for one's service. Self-nullification is its root.",
  'Brackets 1':
    'The contraction is (not) literal in that book. A man is forgiven (only) when he returns to his Father. The garments (not those of wool) shine brightly at night. אין הצמצום (לא) כפשוטו, והאור (כמו שכתוב לא זז) עומד במקומו.',
  'Psalm 1': 'Serve God with gladness (Psalms 100:2), and come before Him with singing [3] in the morning.',
  'Light 1':
    'A little light drives away much darkness (Zohar I, 15a), and a deed of love (see the gate 3) stays. אור מועט דוחה (עץ חיים ה, ב) הרבה מן החושך, והמעשה (הגדול מכולם) קיים בידינו.',
  'Edition 1': 'ויאמר אליו (מזה) [מה־] [זה] בידך ויאמר מטה {פ} ויאמר השליכהו ארצה',
  'Saint 1':
    'The beinoni does not transgress in deed. He is not, as many people think, a saint. A saint refuses to dwell on them.',
  'World 1':
    'Rabbi Levi said: the world stands on study. Rabbi Meir said: the world stands on charity. One may stop trying to lead.',
  'Harbour 1': `The harbour sleeps under snow. ${filler}The bell rings at the break of day.`,
  'Miller 1': 'The miller rests. Later the miller often rests in summer. The miller sings.',
  'Mitzvah 1':
    'מצווה גדולה להיות בשמחה תמיד, ואל ימתין להתלהבות אלא יתחזק. ויש ה׳ חומשי תורה בפרק ה׳ של המסכת.',
  'Mercy 1':
    'It is forbidden to despair of mercy in the night. אסור לו לאדם להתייאש מן הרחמים תמיד. הלא הוא אבינו שבשמים, ומאין לו לאדם כוח לשיר בלילה. ולא ישכח את מקומו לעולם.',
  'Beinoni 5': 'הבינוני אינו עובר עבירה כל ימיו, והצדיק אי אפשר לו לחטוא.',
  'Sadness 1': 'כמו שנתבאר בפרק כז שהעצבות מידה רעה ביותר.',
  'Wrestlers 1':
    'כגון שני אנשים המתאבקים זה עם זה, כי לא זו הדרך ישכון אור ה׳ להיות חפץ בחיים. ויש ה׳ לשונות.',
  'Infinite 1': 'וגם להמשיך אור א"ס ב"ה בכנסת ישראל כולה',
  'Entries, Beinoni 1': 'He differs from the tzaddik in that his struggle goes on.',
  'Entries, Tzaddik 1': 'Most people are addressed as beinonim in that book.',
}).map(([ref, text]) => ({ ref, text }))

const checked = quoteChecker(library)

describe('a quotation with an ellipsis', () => {
  it.each([
    ['“The beinoni … transgress in deed” (Saint 1)', 'does not'],
    ['“in deed. He is … a saint” (Saint 1)', 'not, as many people think'],
    [
      '“Rabbi Levi … said: the world stands on charity” (World 1)',
      'said: the world stands on study. Rabbi Meir',
    ],
    ['“the world stands on study [...] stands on charity” (World 1)', 'Rabbi Meir said: the world'],
    ['"הבינוני … עובר עבירה כל ימיו" (Beinoni 5)', 'אינו'],
    ['"כל ימיו, והצדיק … לחטוא" (Beinoni 5)', 'אי אפשר לו'],
    ['"כמו שנתבאר וכו׳ שהעצבות מידה רעה" (Sadness 1)', 'בפרק כז'],
    ['"כמו שנתבאר כו׳ שהעצבות מידה רעה" (Sadness 1)', 'בפרק כז'],
  ])('is edited, and the words left out are shown: %s', async (text, leftOut) => {
    expect(await checked(text)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'left_out', quote: '', text: leftOut }],
    })
  })

  it('leaves out the fewest words that it can', async () => {
    expect(await checked('“the miller … in summer” (Miller 1)')).toMatchObject({
      ...{ result: 'edited', original: 'the miller … in summer', omitted_words: 2 },
    })
  })

  it('tells how many words are left out, and shows the ends of many', async () => {
    const check = await checked('“The harbour sleeps under snow … The bell rings at the break” (Harbour 1)')
    expect(check).toMatchObject({ result: 'edited', omitted_words: 156 })
    expect(check?.differences?.[0]?.text).toMatch(/^The lamps .{200,300} by the keeper$/)
  })

  it('is neither verbatim nor edited if it joins single words from far apart', async () => {
    expect((await checked('“The harbour … lit … keeper … break of day” (Harbour 1)'))?.result).toBe('fuzzy')
  })

  it.each([
    '“xyz … does not mean denying pain” (Joy 1)',
    '“Joy does not mean denying pain … 99 … and no one may stop” (Joy 1)',
    '"לא … מצווה גדולה להיות בשמחה" (Mitzvah 1)',
    '“any … may stop a mourner” (Joy 1)',
    '“He differs from the tzaddik … Most people are addressed” (Entries, Beinoni 1)',
  ])('needs each part, however short, as whole words of one entry: %s', async (text) => {
    expect((await checked(text))?.result).not.toMatch(/verbatim|edited/)
  })

  it('has an original of whole words', async () => {
    const quote = 'Joy … not mean denying pain'
    expect(await checked(`“${quote}” (Joy 1)`)).toMatchObject({ result: 'edited', original: quote, start: 0 })
  })

  it.each(['כמו שנתבאר בפרק כו שהעצבות מידה רעה', 'כמו שנתבאר בפרק כו׳ שהעצבות מידה רעה'])(
    'has none in the number 26 behind a unit: %s',
    async (words) => {
      expect((await checked(`"${words}" (Sadness 1)`))?.result).toBe('fuzzy')
    },
  )
})

describe('words in brackets that the passage does not have', () => {
  it.each([
    ['“Desires [do not] still rise in his heart” (Desires 1)', '[do not]'],
    ['“Desires still rise in his heart [wrongly]” (Desires 1)', '[wrongly]'],
    ['“[It is false that] Joy does not mean denying pain” (Joy 1)', '[It is false that]'],
    ['“Desires still rise in his heart [says the book], but he refuses” (Desires 1)', '[says the book]'],
    ['“[The sage] refuses to dwell on them” (Desires 1)', '[The sage]'],
    ['“The [un]mourner sings, and no one may stop” (Joy 1)', '[un ]'],
    ['"[אסור] מצווה גדולה להיות בשמחה תמיד" (Mitzvah 1)', '[אסור]'],
    ['"מצווה גדולה [לכל אדם] להיות בשמחה תמיד" (Mitzvah 1)', '[לכל אדם]'],
    ['"מצווה גדולה להיות [בעצבות]" (Mitzvah 1)', '[בעצבות]'],
  ])('make the quotation edited, and are shown: %s', async (text, quote) => {
    expect(await checked(text)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'added', quote, text: '' }],
    })
  })

  it.each([
    ['“at the end of [1815] while fleeing from the army” (Year 1)', '[1815]', '1812 (a cold year)'],
    ['“Two kings fight over one [large] city” (Kings 1)', '[large]', 'small'],
  ])('are shown with the words whose place they take: %s', async (text, quote, replaced) => {
    expect(await checked(text)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'changed', quote, text: replaced }],
    })
  })

  it.each([
    ['round', '“Desires (never) still rise in his heart, but he refuses to dwell” (Desires 1)'],
    ['in place of others', '“at the end of (1815) while fleeing from the army” (Year 1)'],
    ['at the edge', '“(Never) Desires still rise in his heart” (Desires 1)'],
    ['of another kind', '“Desires <never> still rise in his heart” (Desires 1)'],
  ])('count as quoted if the brackets are %s', async (_, text) => {
    const check = await checked(text)
    expect(check?.result).not.toMatch(/verbatim|edited/)
    if (check?.result === 'fuzzy') expect(check.differences).not.toEqual([])
  })
})

describe('words in brackets of the passage that the quotation leaves out', () => {
  it.each([
    ['“The contraction is literal in that book” (Brackets 1)', 'not'],
    ['“A man is forgiven when he returns to his Father” (Brackets 1)', 'only'],
    ['“The garments shine brightly at night” (Brackets 1)', 'not those of wool'],
    ['“and a deed of love stays” (Light 1)', 'see the gate 3'],
    ['"והמעשה קיים בידינו" (Light 1)', 'הגדול מכולם'],
    ['“at the end of 1812 while fleeing from the army” (Year 1)', 'a cold year'],
    ['"אין הצמצום כפשוטו, והאור" (Brackets 1)', 'לא'],
    ['"כפשוטו, והאור עומד במקומו" (Brackets 1)', 'כמו שכתוב לא זז'],
  ])('make it edited, and are shown: %s', async (text, word) => {
    const check = await checked(text)
    expect(check?.result).toBe('edited')
    expect(check?.differences).toEqual([{ kind: 'left_out', quote: '', text: word }])
  })

  it('are shown also in a close wording', async () => {
    const words = 'The contractions is literal in that small book. A man is forgiven'
    const check = await checked(`“${words}” (Brackets 1)`)
    expect(check?.result).toBe('fuzzy')
    expect(check?.differences).toContainEqual({ kind: 'left_out', quote: '', text: 'not' })
  })
})

describe('a quotation is verbatim', () => {
  it.each([
    ['without a gloss in the other script', '“and the animal soul, nefesh, gives life” (Kings 1)'],
    ['without a citation of the Bible', '“gladness, and come before Him with singing” (Psalm 1)'],
    ['without a citation of another work', '“drives away much darkness, and a deed of love” (Light 1)'],
    ['without a Hebrew citation of another work', '"אור מועט דוחה הרבה מן החושך" (Light 1)'],
    ['without the number of a note', '“and come before Him with singing in the morning” (Psalm 1)'],
    ['without a sign of the edition', '"ויאמר מטה ויאמר השליכהו ארצה" (Edition 1)'],
    ['without the written form beside the read form', '"אליו מה זה בידך ויאמר" (Edition 1)'],
    ['without the read form beside the written form', '"אליו מזה בידך ויאמר" (Edition 1)'],
    ['with some brackets and without others', '“over one small city, and the animal soul, nefesh” (Kings 1)'],
    ['with words in brackets at the edge', '“still rise in [his heart]” (Desires 1)'],
    ['with brackets that both have', '“at the end of 1812 (a cold year) while fleeing” (Year 1)'],
    ['with brackets around its words', '“Desires still rise (in his heart), but he refuses” (Desires 1)'],
    ['with brackets for a capital', '“[D]esires still rise in his heart” (Desires 1)'],
    ['with elements of HTML', '“Desires <b>still</b> rise in his <i class="x">heart</i>” (Desires 1)'],
    [
      'with a link',
      '“Gladness is not an [ornament](https://books.example/a?b=c#d) but a condition” (Gladness 1)',
    ],
    ['with a raised number of a footnote', '“Gladness is not an ornament¹ but a condition” (Gladness 1)'],
    ['with the number of a footnote in HTML', '“not an ornament<sup>[3]</sup> but a condition” (Gladness 1)'],
    ['with the letter of a footnote', '"כגון שני אנשים[א] המתאבקים זה עם זה" (Wrestlers 1)'],
    ['with a word over a line break', '“Gladness is not an orna-\nment but a condition” (Gladness 1)'],
    ['with such a word in a block', '> Gladness is not an orna-\n> ment but a condition\n\n— (Gladness 1)'],
    [
      'with a line break at its own hyphen',
      '“for one’s service. Self-\nnullification is its root” (Gladness 1)',
    ],
    ['with a space of HTML', '“Gladness is not&nbsp;an ornament but a&#160;condition” (Gladness 1)'],
    [
      'with an apostrophe of HTML',
      '“but a condition for one&#39;s service. Self&ndash;nullification” (Gladness 1)',
    ],
    ['with a named apostrophe of HTML', '“but a condition for one&rsquo;s service” (Gladness 1)'],
    ['after a mark of text direction', '\u202b"כגון שני אנשים המתאבקים זה עם זה"\u202c (Wrestlers 1)'],
    ['with a struck word of its own', '“Gladness is ~~never~~ not an ornament” (Gladness 1)'],
    [
      'with a hidden word of its own',
      '“Gladness is not <!-- never --> an ornament but a condition” (Gladness 1)',
    ],
    [
      'with a word in an element',
      '“is <span class="hidden">not</span> an ornament but a condition” (Gladness 1)',
    ],
    ['with a substitute for the Name before an infinitive', '"ישכון אור ד׳ להיות חפץ בחיים" (Wrestlers 1)'],
    [
      'with gershayim of two apostrophes in single marks',
      "'וגם להמשיך אור א''ס ב''ה בכנסת ישראל' (Infinite 1)",
    ],
  ])('%s', async (_, text) => {
    expect(await checked(text)).toMatchObject({ result: 'verbatim' })
  })
})

describe('a quotation is not verbatim', () => {
  const hidden = [
    ...['<!-- not -->', '<span hidden>not</span>', '<span hidden="">not</span>', '<i hidden><b>not</b></i>'],
    ...['<span style="display:none">not</span>', "<b style='color: red; visibility: hidden'>not</b>"],
    ...['<template>not</template>', '<script>not</script>', '[^not]', '![not](a.png)'],
    ...['~~not~~', '<del>not</del>'],
  ]
  it.each(hidden)('with a word of the passage that no reader sees: %s', async (not) => {
    const text = `“Gladness is ${not} an ornament but a condition” (Gladness 1)`
    expect((await checked(text))?.result).not.toBe('verbatim')
  })

  it.each([
    ['another text in a link', '“is not a [burden](https://books.example) but a condition” (Gladness 1)'],
    ['another number before a counted thing', '"חפץ בחיים. ויש ד׳ לשונות" (Wrestlers 1)'],
    ['another number than one like the Name', '"ויש י׳ חומשי תורה" (Mitzvah 1)'],
    ['another number behind a unit', '"תורה בפרק ד׳ של המסכת" (Mitzvah 1)'],
  ])('with %s', async (_, text) => {
    expect((await checked(text))?.result).not.toBe('verbatim')
  })

  it.each([
    ['לא הוא אבינו שבשמים', 'לא', 'הלא'],
    ['אין לו לאדם כוח לשיר', 'אין', 'ומאין'],
    ['רחמים תמיד. הלא הוא', 'רחמים', 'הרחמים'],
  ])('without the prefix of its first word, which is shown: %s', async (words, quote, text) => {
    expect(await checked(`"${words}" (Mercy 1)`)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'changed', quote, text }],
    })
  })
})
