import { describe, expect, it } from 'vitest'
import { quoteChecker } from '../../support/quote-library.ts'

const filler = 'The lamps along the quay are lit one after another by the keeper. '.repeat(12)
const library = [
  {
    ref: 'Sayings 1',
    text: 'The beinoni does not transgress in deed. He is not, as many people think, a saint. A saint refuses to dwell on them.',
  },
  {
    ref: 'Sayings 2',
    text: 'Gladness is not an ornament but a condition for the service itself. He does not sleep and prays the whole night.',
  },
  {
    ref: 'Sayings 3',
    text: 'Rabbi Levi said: the world stands on study. Rabbi Meir said: the world stands on charity. One may stop trying to lead.',
  },
  { ref: 'Sayings 4', text: `The harbour sleeps under snow. ${filler}The bell rings at the break of day.` },
  {
    ref: 'Sayings 5',
    text: 'הבינוני אינו עובר עבירה כל ימיו, והצדיק אי אפשר לו לחטוא. אמר רבי לוי העולם עומד על התורה, השיב לו רבי מאיר העולם עומד על הצדקה.',
  },
  { ref: 'Sayings 7', text: 'Today the miller often rests even if he is strong, and even in winter.' },
  { ref: 'Sayings 8', text: 'כמו שנתבאר בפרק כז שהעצבות מידה רעה ביותר.' },
  {
    ref: 'Sayings 6',
    text: 'The miller never rests in summer. Later, in winter, the miller often rests in summer clothes.',
  },
]

const checked = quoteChecker(library)

describe('an ellipsis over the negation of the quoted words', () => {
  it.each([
    ['“The beinoni … transgress in deed” (Sayings 1)', 'not'],
    ['“The beinoni does … transgress in deed” (Sayings 1)', 'not'],
    ['“in deed. He is … a saint” (Sayings 1)', 'not, as many people think,'],
    ['“A saint … dwell on them” (Sayings 1)', 'refuses to'],
    ['“stands on charity. One may … lead” (Sayings 3)', 'stop trying to'],
    ['"הבינוני … עובר עבירה כל ימיו" (Sayings 5)', 'אינו'],
    ['"כל ימיו, והצדיק … לחטוא" (Sayings 5)', 'אי אפשר לו'],
  ])('is named, and the quotation is not verbatim: %s', async (text, leftOut) => {
    const check = await checked(text)
    expect(check).toMatchObject({
      result: 'fuzzy',
      differences: [{ kind: 'left_out', quote: '' }],
      context_warning: { where: 'ellipsis', kind: 'negation' },
    })
    expect(check?.differences?.map(({ text: words }) => words)).toEqual([leftOut])
  })

  it('does not count if the same words stand elsewhere without it', async () => {
    expect(await checked('“the miller … rests in summer” (Sayings 6)')).toMatchObject({
      result: 'verbatim',
      original: 'the miller … rests in summer',
    })
  })
})

describe('an ellipsis that changes what the quoted words say', () => {
  it.each([
    [
      'over the contrast that limits a quoted negation',
      '“Gladness is not … a condition for the service itself” (Sayings 2)',
      'but',
      'negation',
    ],
    [
      'over the subject of a quoted verb of speech',
      '“Rabbi Levi … said: the world stands on charity” (Sayings 3)',
      'Rabbi Meir',
      'speaker',
    ],
    ['over what is impossible', '"הבינוני אינו עובר עבירה … לו לחטוא" (Sayings 5)', 'אי אפשר', 'negation'],
  ])('%s is named, and the quotation is not verbatim', async (_, text, leftOut, kind) => {
    expect(await checked(text)).toMatchObject({
      result: 'fuzzy',
      differences: [{ kind: 'left_out', quote: '', text: leftOut }],
      context_warning: { where: 'ellipsis', kind },
    })
  })

  it('is not one after a whole negation, or before the beginning of a sentence', async () => {
    for (const text of [
      '“Gladness is not an ornament … a condition for the service” (Sayings 2)',
      '“The harbour sleeps … The bell rings at the break of day” (Sayings 4)',
    ])
      expect((await checked(text))?.result).toBe('verbatim')
  })
})

it.each(['כמו שנתבאר בפרק כו שהעצבות מידה רעה', 'כמו שנתבאר בפרק כו׳ שהעצבות מידה רעה'])(
  'the number 26 behind a unit is no ellipsis: %s',
  async (words) => {
    expect((await checked(`"${words}" (Sayings 8)`))?.result).not.toBe('verbatim')
  },
)

it.each(['כמו שנתבאר וכו׳ שהעצבות מידה רעה', 'כמו שנתבאר כו׳ שהעצבות מידה רעה'])(
  'the word for "and so on" is one: %s',
  async (words) => {
    expect(await checked(`"${words}" (Sayings 8)`)).toMatchObject({ result: 'verbatim', omitted_words: 2 })
  },
)

describe('an ellipsis over other words', () => {
  it.each([
    ['of a negation that is taken up again', '“Gladness is … a condition for the service” (Sayings 2)'],
    ['with a negation of their own', '“He … prays the whole night” (Sayings 2)'],
    ['that somebody else says', '“the world stands on study … stands on charity” (Sayings 3)'],
    ['that somebody else says, in Hebrew', '"העולם עומד על התורה … העולם עומד על הצדקה" (Sayings 5)'],
    ['of more than a paragraph', '“The harbour sleeps under snow … The bell rings at the break” (Sayings 4)'],
  ])('%s leaves the quotation verbatim, with a warning', async (_, text) => {
    const check = await checked(text)
    expect(check?.result).toBe('verbatim')
    expect(check?.context_warning?.where).toBe('ellipsis')
  })

  it('tells how many words are left out, and why that may matter', async () => {
    expect(
      await checked('“The harbour sleeps under snow … The bell rings at the break” (Sayings 4)'),
    ).toMatchObject({ omitted_words: 156, context_warning: { kind: 'length' } })
    expect(await checked('“the world stands on study … stands on charity” (Sayings 3)')).toMatchObject({
      omitted_words: 5,
      context_warning: { kind: 'speaker' },
    })
    const conceded = await checked('“the miller often rests … even in winter” (Sayings 7)')
    expect(conceded).toMatchObject({ result: 'verbatim' })
    expect(conceded?.context_warning).toBeUndefined()
    const ordinary = await checked('“The harbour … under snow” (Sayings 4)')
    expect(ordinary).toMatchObject({ result: 'verbatim', omitted_words: 1 })
    expect(ordinary?.context_warning).toBeUndefined()
  })
})

it('single words from far apart that ellipses join are not verbatim', async () => {
  const check = await checked('“The harbour … lit … keeper … break of day” (Sayings 4)')
  expect(check).toMatchObject({ result: 'fuzzy', context_warning: { where: 'ellipsis', kind: 'length' } })
})
