import { describe, expect, it } from 'vitest'
import { quoteChecker } from '../../support/quote-library.ts'

const filler = 'The lamps along the quay are lit one after another by the keeper. '.repeat(12)
const library = [
  {
    ref: 'Sayings 1',
    text: 'The beinoni does not transgress in deed. He is not, as many people think, a saint. A saint refuses to dwell on them.',
  },
  {
    ref: 'Sayings 3',
    text: 'Rabbi Levi said: the world stands on study. Rabbi Meir said: the world stands on charity. One may stop trying to lead.',
  },
  { ref: 'Sayings 4', text: `The harbour sleeps under snow. ${filler}The bell rings at the break of day.` },
  { ref: 'Sayings 5', text: 'הבינוני אינו עובר עבירה כל ימיו, והצדיק אי אפשר לו לחטוא.' },
  { ref: 'Sayings 6', text: 'The miller rests. Later the miller often rests in summer. The miller sings.' },
  { ref: 'Sayings 8', text: 'כמו שנתבאר בפרק כז שהעצבות מידה רעה ביותר.' },
]

const checked = quoteChecker(library)

describe('a quotation with an ellipsis', () => {
  it.each([
    ['“The beinoni … transgress in deed” (Sayings 1)', 'does not'],
    ['“in deed. He is … a saint” (Sayings 1)', 'not, as many people think'],
    ['“A saint … dwell on them” (Sayings 1)', 'refuses to'],
    [
      '“Rabbi Levi … said: the world stands on charity” (Sayings 3)',
      'said: the world stands on study. Rabbi Meir',
    ],
    ['“the world stands on study [...] stands on charity” (Sayings 3)', 'Rabbi Meir said: the world'],
    ['"הבינוני … עובר עבירה כל ימיו" (Sayings 5)', 'אינו'],
    ['"כל ימיו, והצדיק … לחטוא" (Sayings 5)', 'אי אפשר לו'],
    ['"כמו שנתבאר וכו׳ שהעצבות מידה רעה" (Sayings 8)', 'בפרק כז'],
    ['"כמו שנתבאר כו׳ שהעצבות מידה רעה" (Sayings 8)', 'בפרק כז'],
  ])('is edited, and the words left out are shown: %s', async (text, leftOut) => {
    expect(await checked(text)).toMatchObject({
      result: 'edited',
      differences: [{ kind: 'left_out', quote: '', text: leftOut }],
    })
  })

  it('leaves out the fewest words that it can', async () => {
    expect(await checked('“the miller … in summer” (Sayings 6)')).toMatchObject({
      result: 'edited',
      original: 'the miller … in summer',
      omitted_words: 2,
    })
  })

  it('tells how many words are left out, and shows the ends of many', async () => {
    const check = await checked('“The harbour sleeps under snow … The bell rings at the break” (Sayings 4)')
    expect(check).toMatchObject({ result: 'edited', omitted_words: 156 })
    expect(check?.differences?.[0]?.text).toMatch(/^The lamps .{200,300} by the keeper$/)
  })

  it('is neither verbatim nor edited if it joins single words from far apart', async () => {
    expect((await checked('“The harbour … lit … keeper … break of day” (Sayings 4)'))?.result).toBe('fuzzy')
  })
})

it.each(['כמו שנתבאר בפרק כו שהעצבות מידה רעה', 'כמו שנתבאר בפרק כו׳ שהעצבות מידה רעה'])(
  'the number 26 behind a unit is no ellipsis: %s',
  async (words) => {
    expect((await checked(`"${words}" (Sayings 8)`))?.result).toBe('fuzzy')
  },
)
