import { describe, expect, it } from 'vitest'
import { quoteChecker } from '../../support/quote-library.ts'

const library = [
  {
    ref: 'Sayings 1',
    text: 'Desires still rise in his heart, but he refuses to dwell on them. Nothing in his nature has changed.',
  },
  {
    ref: 'Sayings 2',
    text: 'He left the city at the end of 1812 (a cold year) while fleeing from the army.',
  },
  {
    ref: 'Sayings 3',
    text: 'Two kings fight over one [small] city, and the animal soul, nefesh (נפש הבהמית), gives life.',
  },
  {
    ref: 'Sayings 4',
    text: 'מצווה גדולה להיות בשמחה תמיד, ואל ימתין להתלהבות אלא יתחזק. ויש ה׳ חומשי תורה בפרק ה׳ של המסכת.',
  },
  {
    ref: 'Sayings 5',
    text: 'Joy does not mean denying pain. The mourner sings, and no one may stop a mourner.',
  },
  {
    ref: 'Sayings 6',
    text: 'The contraction is (not) literal in that book. A man is forgiven (only) when he returns to his Father. The garments (not those of wool) shine brightly at night. אין הצמצום (לא) כפשוטו, והאור (כמו שכתוב לא זז) עומד במקומו.',
  },
  {
    ref: 'Sayings 7',
    text: 'It is forbidden to despair of mercy in the night. אסור לו לאדם להתייאש מן הרחמים תמיד. הלא הוא אבינו שבשמים, ומאין לו לאדם כוח לשיר בלילה. ולא ישכח את מקומו לעולם.',
  },
  {
    ref: 'Sayings 8',
    text: 'Serve God with gladness (Psalms 100:2), and come before Him with singing [3] in the morning.',
  },
  {
    ref: 'Sayings 10',
    text: 'A little light drives away much darkness (Zohar I, 15a), and a deed of love (see the gate 3) stays. אור מועט דוחה (עץ חיים ה, ב) הרבה מן החושך, והמעשה (הגדול מכולם) קיים בידינו.',
  },
  { ref: 'Sayings 9', text: 'ויאמר אליו (מזה) [מה־] [זה] בידך ויאמר מטה {פ} ויאמר השליכהו ארצה' },
  { ref: 'Entries, Beinoni 1', text: 'He differs from the tzaddik in that his struggle goes on.' },
  { ref: 'Entries, Tzaddik 1', text: 'Most people are addressed as beinonim in that book.' },
]

const checked = quoteChecker(library)

describe('words in brackets that the passage does not have', () => {
  it.each([
    ['“Desires [do not] still rise in his heart” (Sayings 1)', '[do not]'],
    ['“Desires still rise in his heart [wrongly]” (Sayings 1)', '[wrongly]'],
    ['“Joy [sadness] does not mean denying pain” (Sayings 5)', '[sadness]'],
    ['“[It is false that] Joy does not mean denying pain” (Sayings 5)', '[It is false that]'],
    ['“Desires still rise in his heart [says the book], but he refuses” (Sayings 1)', '[says the book]'],
    ['“[In truth,] nothing in his nature has changed” (Sayings 1)', '[In truth,]'],
    ['“[The sage] refuses to dwell on them” (Sayings 1)', '[The sage]'],
    ['“The [un]mourner sings, and no one may stop” (Sayings 5)', '[un]'],
    ['"[אסור] מצווה גדולה להיות בשמחה תמיד" (Sayings 4)', '[אסור]'],
    ['"מצווה גדולה [לכל אדם] להיות בשמחה תמיד" (Sayings 4)', '[לכל אדם]'],
    ['"מצווה גדולה להיות [בעצבות]" (Sayings 4)', '[בעצבות]'],
  ])('make the quotation edited, and are shown: %s', async (text, words) => {
    expect(await checked(text)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'added', quote: words.replace('[un]', '[un ]'), text: '' }],
    })
  })

  it.each([
    ['“at the end of [1815] while fleeing from the army” (Sayings 2)', '[1815]', '1812 (a cold year)'],
    ['“Two kings fight over one [large] city” (Sayings 3)', '[large]', 'small'],
  ])('are shown with the words whose place they take: %s', async (text, quote, replaced) => {
    expect(await checked(text)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'changed', quote, text: replaced }],
    })
  })

  it.each([
    ['round', '“Desires (never) still rise in his heart, but he refuses to dwell” (Sayings 1)'],
    ['in place of others', '“at the end of (1815) while fleeing from the army” (Sayings 2)'],
    ['at the edge', '“(Never) Desires still rise in his heart” (Sayings 1)'],
    ['of another kind', '“Desires <never> still rise in his heart” (Sayings 1)'],
  ])('count as quoted if the brackets are %s', async (_, text) => {
    const check = await checked(text)
    expect(check?.result).not.toMatch(/verbatim|edited/)
    if (check?.result === 'fuzzy') expect(check.differences).not.toEqual([])
  })

  it.each([
    ['that the passage has at the edge', '“still rise in [his heart]” (Sayings 1)'],
    ['that both have', '“at the end of 1812 (a cold year) while fleeing” (Sayings 2)'],
    ['that the passage has without them', '“Desires still rise (in his heart), but he refuses” (Sayings 1)'],
    ['for a capital', '“[D]esires still rise in his heart” (Sayings 1)'],
    ['of HTML', '“Desires <b>still</b> rise in his <i class="x">heart</i>” (Sayings 1)'],
  ])('but words in brackets %s are quoted', async (_, text) => {
    expect(await checked(text)).toMatchObject({ result: 'verbatim' })
  })
})

describe('words in brackets of the passage that the quotation leaves out', () => {
  it.each([
    ['“The contraction is literal in that book” (Sayings 6)', ['not']],
    ['“A man is forgiven when he returns to his Father” (Sayings 6)', ['only']],
    ['“The garments shine brightly at night” (Sayings 6)', ['not those of wool']],
    ['“and a deed of love stays” (Sayings 10)', ['see the gate 3']],
    ['"והמעשה קיים בידינו" (Sayings 10)', ['הגדול מכולם']],
    ['“at the end of 1812 while fleeing from the army” (Sayings 2)', ['a cold year']],
    ['"אין הצמצום כפשוטו, והאור" (Sayings 6)', ['לא']],
    ['"כפשוטו, והאור עומד במקומו" (Sayings 6)', ['כמו שכתוב לא זז']],
  ])('make it edited, and are shown: %s', async (text, words) => {
    const check = await checked(text)
    expect(check?.result).toBe('edited')
    expect(check?.differences).toEqual(words.map((word) => ({ kind: 'left_out', quote: '', text: word })))
  })

  it.each([
    ['a gloss in the other script', '“and the animal soul, nefesh, gives life” (Sayings 3)'],
    ['a citation of the Bible', '“Serve God with gladness, and come before Him with singing” (Sayings 8)'],
    ['a citation of another work', '“drives away much darkness, and a deed of love” (Sayings 10)'],
    ['a Hebrew citation of another work', '"אור מועט דוחה הרבה מן החושך" (Sayings 10)'],
    ['a number of a note', '“and come before Him with singing in the morning” (Sayings 8)'],
    ['a sign of the edition', '"ויאמר מטה ויאמר השליכהו ארצה" (Sayings 9)'],
    ['the written form beside the read form', '"אליו מה זה בידך ויאמר" (Sayings 9)'],
    ['the read form beside the written form', '"אליו מזה בידך ויאמר" (Sayings 9)'],
  ])('do not count if they are %s', async (_, text) => {
    expect((await checked(text))?.result).toBe('verbatim')
  })

  it('are shown also in a close wording', async () => {
    const check = await checked(
      '“The contractions is literal in that small book. A man is forgiven” (Sayings 6)',
    )
    expect(check?.result).toBe('fuzzy')
    expect(check?.differences).toContainEqual({ kind: 'left_out', quote: '', text: 'not' })
  })

  it('are each left out or quoted', async () => {
    expect(
      (await checked('“over one small city, and the animal soul, nefesh, gives” (Sayings 3)'))?.result,
    ).toBe('verbatim')
  })
})

describe('parts between ellipses', () => {
  it.each([
    ['“xyz … does not mean denying pain” (Sayings 5)'],
    ['“Joy does not mean denying pain … 99 … and no one may stop” (Sayings 5)'],
    ['"לא … מצווה גדולה להיות בשמחה" (Sayings 4)'],
  ])('are compared however short: %s', async (text) => {
    expect((await checked(text))?.result).not.toMatch(/verbatim|edited/)
  })

  it('stand as whole words, and the original has them', async () => {
    expect(await checked('“Joy … not mean denying pain” (Sayings 5)')).toMatchObject({
      result: 'edited',
      original: 'Joy … not mean denying pain',
      start: 0,
    })
    expect((await checked('“any … may stop a mourner” (Sayings 5)'))?.result).not.toMatch(/verbatim|edited/)
  })

  it('stand in one entry, not in one and the next', async () => {
    const spliced = await checked(
      '“He differs from the tzaddik … Most people are addressed” (Entries, Beinoni 1)',
    )
    expect(spliced?.result).not.toMatch(/verbatim|edited/)
  })
})

it.each(['ויש ד׳ חומשי תורה', 'ויש י׳ חומשי תורה', 'תורה בפרק ד׳ של המסכת'])(
  'a number is not the Name: %s',
  async (words) => {
    expect((await checked(`"${words}" (Sayings 4)`))?.result).not.toBe('verbatim')
  },
)

describe('the first word of a quotation without its Hebrew prefix', () => {
  it.each([
    ['לא הוא אבינו שבשמים', 'לא', 'הלא'],
    ['אין לו לאדם כוח לשיר', 'אין', 'ומאין'],
    ['לא ישכח את מקומו', 'לא', 'ולא'],
    ['רחמים תמיד. הלא הוא', 'רחמים', 'הרחמים'],
  ])('makes it edited, and is shown: %s', async (words, quote, text) => {
    expect(await checked(`"${words}" (Sayings 7)`)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'changed', quote, text }],
    })
  })
})
