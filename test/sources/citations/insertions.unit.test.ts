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
    text: 'The contraction is (not) literal in that book. A man is forgiven (only) when he returns to his Father. The garments (not those of wool) shine. אין הצמצום (לא) כפשוטו, והאור (כמו שכתוב לא זז) עומד במקומו.',
  },
  {
    ref: 'Sayings 7',
    text: 'It is forbidden to despair of mercy in the night. אסור לו לאדם להתייאש מן הרחמים תמיד. הלא הוא אבינו שבשמים, ומאין לו לאדם כוח לשיר בלילה. ולא ישכח את מקומו לעולם.',
  },
  { ref: 'Entries, Beinoni 1', text: 'He differs from the tzaddik in that his struggle goes on.' },
  { ref: 'Entries, Tzaddik 1', text: 'Most people are addressed as beinonim in that book.' },
]

const checked = quoteChecker(library)

describe('words in brackets that the passage does not have', () => {
  it.each([
    ['in round brackets', '“Desires (never) still rise in his heart, but he refuses to dwell” (Sayings 1)'],
    [
      'in square brackets, if they turn the meaning round',
      '“Desires [do not] still rise in his heart” (Sayings 1)',
    ],
    ...[
      '“[stop trying to] refuses to dwell on them” (Sayings 1)',
      '“Desires still rise in his heart [wrongly]” (Sayings 1)',
      '“Desires still rise [against] in his heart” (Sayings 1)',
      '“Desires still rise [instead of] in his heart” (Sayings 1)',
      '“Joy does not mean [avoiding] denying pain” (Sayings 5)',
      '“[It is false that] Joy does not mean denying pain” (Sayings 5)',
      '“Joy [is far from holy: it] does not mean denying pain” (Sayings 5)',
      '“The [un-]mourner sings, and no one may stop” (Sayings 5)',
      '"[אסור] מצווה גדולה להיות בשמחה תמיד" (Sayings 4)',
      '"מצווה גדולה [להימנע] להיות בשמחה תמיד" (Sayings 4)',
      '"מצווה [שקרית והיפך] גדולה להיות בשמחה" (Sayings 4)',
      '"אלא [אל] יתחזק. ויש ה׳ חומשי תורה" (Sayings 4)',
    ].map((text) => [`in square brackets, that deny what they govern: ${text}`, text]),
    ...[
      '“Joy [sadness] does not mean denying pain” (Sayings 5)',
      '“[sadness] Joy does not mean denying pain” (Sayings 5)',
      '“Desires still rise in his heart [which is not so], but he refuses” (Sayings 1)',
      '"מצווה גדולה להיות בשמחה [בעצבות] תמיד" (Sayings 4)',
      '"מצווה [עבירה שאינה] גדולה להיות בשמחה תמיד" (Sayings 4)',
    ].map((text) => [`in square brackets, of the opposite meaning: ${text}`, text]),
    ['in angle brackets', '“Desires <never> still rise in his heart” (Sayings 1)'],
    ['in place of others', '“at the end of [1815] while fleeing from the army” (Sayings 2)'],
    ['in place of others, round', '“at the end of (1815) while fleeing from the army” (Sayings 2)'],
    ['where the passage has others in brackets', '“Two kings fight over one [large] city” (Sayings 3)'],
    [
      'where the passage has others, round',
      '“the animal soul, nefesh (נפש האלוקית), gives life” (Sayings 3)',
    ],
    ['in place of the words before', '“[Everybody] left the city at the end of 1812” (Sayings 2)'],
    ['in place of a name before', '“[The sage] refuses to dwell on them” (Sayings 1)'],
    ['in place of the words behind', '“Desires still rise in his [mind]” (Sayings 1)'],
    ['in place of words in Hebrew', '"מצווה גדולה להיות [בעצבות]" (Sayings 4)'],
    ['at the edge, round', '“(Never) Desires still rise in his heart” (Sayings 1)'],
  ])('%s are reported', async (_, text) => {
    const check = await checked(text)
    expect(check?.result).not.toBe('verbatim')
    if (check?.result === 'fuzzy') expect(check.differences).not.toEqual([])
  })

  it.each([
    ['that add', '“Desires still rise in his heart [says the book], but he refuses” (Sayings 1)'],
    ['before a sentence', '“[In truth,] nothing in his nature has changed” (Sayings 1)'],
    ['behind a clause', '“Desires still rise in his heart [again]” (Sayings 1)'],
    ['at both ends of the passage', '“[Know:] Joy does not mean denying pain” (Sayings 5)'],
    ['that the passage has at the edge', '“still rise in [his heart]” (Sayings 1)'],
    ['that only the passage has', '“at the end of 1812 while fleeing from the army” (Sayings 2)'],
    ['that both have', '“at the end of 1812 (a cold year) while fleeing” (Sayings 2)'],
    [
      'that stand in the passage without them',
      '“Desires still rise (in his heart), but he refuses” (Sayings 1)',
    ],
    [
      'of both, and one that only the passage has',
      '“over one [small] city, and the animal soul, nefesh, gives life” (Sayings 3)',
    ],
    ['for an ellipsis', '“Desires still rise […] he refuses to dwell on them” (Sayings 1)'],
    [
      'that explain',
      '“Desires [such as anger] still rise in his heart, but he [the beinoni] refuses” (Sayings 1)',
    ],
    [
      'with a preposition of their own',
      '“Desires still rise in his heart [against his will], but he refuses” (Sayings 1)',
    ],
    [
      'that explain with a negation of their own',
      '“Joy [simcha, which is not mere laughter] does not mean denying pain” (Sayings 5)',
    ],
    ['that explain with a negation in Hebrew', '"מצווה גדולה להיות בשמחה [שאינה הוללות] תמיד" (Sayings 4)'],
    ['that translate', '“Joy [simcha] does not mean denying pain” (Sayings 5)'],
    ['that explain in Hebrew', '"מצווה גדולה [לכל אדם] להיות בשמחה תמיד" (Sayings 4)'],
    ['of HTML', '“Desires <b>still</b> rise in his <i class="x">heart</i>” (Sayings 1)'],
  ])('but words %s are not', async (_, text) => {
    expect(await checked(text)).toMatchObject({ result: 'verbatim' })
  })
})

describe('words in brackets of the passage that the quotation leaves out', () => {
  it.each([
    ['“The contraction is literal in that book” (Sayings 6)', 'not'],
    ['“A man is forgiven when he returns to his Father” (Sayings 6)', 'only'],
    ['"אין הצמצום כפשוטו, והאור" (Sayings 6)', 'לא'],
  ])('are named if they alter the quoted words: %s', async (text, words) => {
    expect(await checked(text)).toMatchObject({
      result: 'fuzzy',
      differences: [{ kind: 'left_out', quote: '', text: words }],
    })
  })

  it.each([
    '“when he returns to his Father. The garments shine” (Sayings 6)',
    '"והאור עומד במקומו" (Sayings 6)',
    '“The contraction is not literal in that book” (Sayings 6)',
  ])('do not count if they say something of their own: %s', async (text) => {
    expect((await checked(text))?.result).toBe('verbatim')
  })
})

describe('parts between ellipses', () => {
  it.each([
    ['“xyz … does not mean denying pain” (Sayings 5)'],
    ['“Joy does not mean denying pain … 99 … and no one may stop” (Sayings 5)'],
    ['"לא … מצווה גדולה להיות בשמחה" (Sayings 4)'],
  ])('are compared however short: %s', async (text) => {
    expect((await checked(text))?.result).not.toBe('verbatim')
  })

  it('stand as whole words, and the original has them', async () => {
    expect(await checked('“Joy … not mean denying pain” (Sayings 5)')).toMatchObject({
      result: 'verbatim',
      original: 'Joy … not mean denying pain',
      start: 0,
    })
    expect((await checked('“any … may stop a mourner” (Sayings 5)'))?.result).not.toBe('verbatim')
  })

  it('stand in one entry, not in one and the next', async () => {
    const spliced = await checked(
      '“He differs from the tzaddik … Most people are addressed” (Entries, Beinoni 1)',
    )
    expect(spliced?.result).not.toBe('verbatim')
  })
})

describe('what is left out beside a quotation', () => {
  it.each([
    ['“in his nature has changed” (Sayings 1)', 'Nothing'],
    ['“to dwell on them” (Sayings 1)', 'refuses'],
    ['"ימתין להתלהבות אלא יתחזק" (Sayings 4)', 'ואל'],
    ['“to despair of mercy in the night” (Sayings 7)', 'forbidden'],
    ['“despair of mercy in the night” (Sayings 7)', 'forbidden to'],
    ['"לאדם להתייאש מן הרחמים" (Sayings 7)', 'אסור לו'],
    ['"להתייאש מן הרחמים תמיד" (Sayings 7)', 'אסור לו לאדם'],
  ])('is reported: %s', async (text, words) => {
    expect(await checked(text)).toMatchObject({
      result: 'verbatim',
      context_warning: { words, where: 'before' },
    })
  })
})

it.each(['ויש ד׳ חומשי תורה', 'ויש י׳ חומשי תורה', 'תורה בפרק ד׳ של המסכת'])(
  'a number is not the Name: %s',
  async (words) => {
    expect((await checked(`"${words}" (Sayings 4)`))?.result).not.toBe('verbatim')
  },
)

describe('the first word of a quotation without its Hebrew prefix', () => {
  it.each(['לא הוא אבינו שבשמים', 'אין לו לאדם כוח לשיר'])(
    'is another word if it becomes a negation: %s',
    async (words) => {
      expect((await checked(`"${words}" (Sayings 7)`))?.result).not.toBe('verbatim')
    },
  )

  it.each(['לא ישכח את מקומו', 'הוא אבינו שבשמים', 'רחמים תמיד. הלא הוא'])(
    'is the same word otherwise: %s',
    async (words) => {
      expect((await checked(`"${words}" (Sayings 7)`))?.result).toBe('verbatim')
    },
  )
})
