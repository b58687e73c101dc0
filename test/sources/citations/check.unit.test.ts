import { describe, expect, it } from 'vitest'
import { checkCitations } from '../../../src/sources/citations/check.ts'
import type { Stretch } from '../../../src/sources/citations/comparison/stretch.ts'
import { renderSourceList } from '../../../src/sources/citations/source-list.ts'
import { offeredSource, quoteLibrary } from '../../support/quote-library.ts'

const river =
  'The river does not hurry, said the miller, and yet “no stone has stopped it”. It goes around. In the end it comes to the sea, which was waiting.'
const pointed = 'אָמַר הַחָכָם: שָׁלוֹם רַב לְאֹהֲבֵי תוֹרָתֶךָ, וְהקב"ה שׁוֹמֵר עַל־הָעוֹלָם בְּכׇל־עֵת. וְהַצַּדִּיק יִשְׂמַח.'
const hill = 'Every hill stands still and waits for the evening wind, which comes from the west.'

const source = (mark: string, text: string) =>
  offeredSource({
    ...{ mark, ref: `Book of Samples ${mark.slice(1)}`, heRef: `ספר הדוגמאות ${mark.slice(1)}`, text },
    ...{ title: 'Book of Samples', version: 'First' },
  })
const sources = [source('S1', river), source('S2', pointed), source('S3', hill)]

/** Finds the passage of the library that may have the words. */
type Find = (words: string) => Promise<{ readonly ref: string; readonly text: string } | undefined>

async function check(text: string, find?: Find, cited = sources) {
  const candidates = async (words: string): Promise<readonly Stretch[]> => {
    const found = await find?.(words)
    return found === undefined ? [] : [{ passages: [found] }]
  }
  const checked = await checkCitations({
    text,
    cited: cited.map((entry, i) => ({ source: entry, n: i + 1 })),
    ...(find && { lookups: { ...quoteLibrary([]), candidates } }),
  })
  return checked.sources.map(({ verification }) => verification)
}

/** The check of the only quotation, which must belong to this source. */
async function only(text: string, index: number, find?: Find) {
  const all = await check(text, find)
  expect(all.map((list) => list.map((entry) => entry.result === 'paraphrase'))).toEqual(
    sources.map((_, i) => [i !== index]),
  )
  return all[index]?.[0]
}

/** The check of a quotation of one source with this text. */
async function checkedIn(text: string, quote: string) {
  return (await check(`${quote} [S1]`, undefined, [source('S1', text)]))[0]?.[0]
}

describe('verbatim: the folded quotation stands there in one piece', () => {
  const hebrew = 'שָׁלוֹם רַב לְאֹהֲבֵי תוֹרָתֶךָ'
  it.each([
    ['letter for letter', '"The river does not hurry" [S1]', 0, 'The river does not hurry'],
    ['without regard to case', '"the RIVER does not hurry" [S1]', 0, 'The river does not hurry'],
    [
      'or to punctuation',
      '“hurry said the miller; and yet no stone” [S1]',
      0,
      'hurry, said the miller, and yet “no stone',
    ],
    ['at the very end', '"the sea, which was waiting." [S1]', 0, 'the sea, which was waiting'],
    ['with ellipses at its edges', '"… It goes around …" [S1]', 0, 'It goes around'],
    [
      'with emphasis the source lacks',
      '"The **river** does not *hurry*" [S1]',
      0,
      'The river does not hurry',
    ],
    ['Hebrew without its points', '„שלום רב לאהבי תורתך” [S2]', 1, hebrew],
    ['Hebrew with other points', '„שֹלֹוםֹ רַבַ לֶאֶהֶבֶיֶ תוֹרָתֶךָ” [S2]', 1, hebrew],
    ['maqaf as a blank', '„שומר על העולם בכל עת” [S2]', 1, 'שׁוֹמֵר עַל־הָעוֹלָם בְּכׇל־עֵת'],
    ['gershayim of another make', '„תורתך, והקב״ה שומר” [S2]', 1, 'תוֹרָתֶךָ, וְהקב"ה שׁוֹמֵר'],
    ['straight marks around an abbreviation', '"תורתך והקב"ה שומר" [S2]', 1, 'תוֹרָתֶךָ, וְהקב"ה שׁוֹמֵר'],
    ['medial for final letters', '„שלומ רב לאהבי תורתכ” [S2]', 1, hebrew],
    [
      'in a block of lines',
      '> Every hill stands still\n> and waits for the evening wind [S3]',
      2,
      'Every hill stands still and waits for the evening wind',
    ],
    ['between isolates', '\u2067„שלום רב לאהבי תורתך”\u2069 [S2]', 1, hebrew],
  ])('%s', async (_, text, index, original) => {
    const found = await only(text, index)
    expect(found).toMatchObject({ result: 'verbatim', original, similarity: 1 })
    expect(sources[index]?.text.slice(found?.start, found?.end)).toBe(original)
  })

  it('and edited as parts between ellipses, in their order', async () => {
    expect(await only('"It goes around … which was waiting" [S1]', 0)).toMatchObject({
      ...{ result: 'edited', original: 'It goes around … which was waiting' },
      ...{ start: river.indexOf('It goes'), end: river.length - 1 },
    })
    expect(await only('"The river [of life] does not hurry … which was" [S1]', 0)).toMatchObject({
      result: 'edited',
    })
  })

  it.each([
    ['parts in another order', '"which was waiting … It goes around" [S1]', 0, 'not_found'],
    ['parts of two passages', '"The river does not hurry … the evening wind" [S1]', 0, 'not_found'],
    ['a few short parts', '"stone … abc … def … ghi" [S1]', 0, 'not_found'],
    ['words from the middle of a Hebrew word', '„לם בכל עת והצדיק ישמח” [S2]', 1, 'fuzzy'],
  ])('but not %s', async (_, text, index, result) => {
    expect((await only(text, index))?.result).toBe(result)
  })

  it('and not as a part of longer words', async () => {
    const found = await checkedIn('All breathe art of it allowed here', '"the art of it all"')
    expect(found?.result).not.toBe('verbatim')
  })
})

describe('fuzzy: the nearest window has a similarity of at least 0.85', () => {
  it('gives the original of that window', async () => {
    expect(await only('"In the end it came to the sea, which was waiting" [S1]', 0)).toEqual({
      quote: 'In the end it came to the sea, which was waiting',
      result: 'fuzzy',
      original: 'In the end it comes to the sea, which was waiting',
      start: river.indexOf('In the end'),
      end: river.length - 1,
      similarity: 0.958,
      differences: [{ kind: 'changed', quote: 'came', text: 'comes' }],
      position: 1,
    })
    expect(await only('„שלום רב לאוהבי תורתך והקדוש שומר על העולם” [S2]', 1)).toMatchObject({
      result: 'fuzzy',
    })
  })

  it('names another name for the same as a change, and an abbreviation as one', async () => {
    const told = 'The Baal Shem Tov sat by the river. אמר הבעל שם טוב לתלמידיו דבר גדול.'
    const kinds = async (quote: string) =>
      (await checkedIn(told, quote))?.differences?.map(({ kind }) => kind)
    expect(await kinds('“The Besht sat by the river”')).toEqual(['changed'])
    expect(await kinds('"אמר הבעש"ט לתלמידיו דבר גדול"')).toEqual(['abbreviation'])
  })

  const hundred = Array.from({ length: 100 }, (_, i) => String.fromCodePoint(0x4e00 + i)).join('')
  it.each([
    [3, 20, 'fuzzy', 0.85],
    [4, 20, 'not_found', 0.8],
    [15, 100, 'fuzzy', 0.85],
    [16, 100, 'not_found', 0.84],
  ])('with %i of %i letters changed it is %s', async (changed, letters, result, similarity) => {
    const text = letters === 100 ? hundred : 'abcdefghij klm nopqr'
    const found = await checkedIn(`11111 ${text} 11111`, `"${'7'.repeat(changed)}${text.slice(changed)}"`)
    expect(found).toMatchObject({ result, similarity })
  })

  it.each([
    ['he end it came to the sea, which was wait', 'the end it comes to the sea, which was waiting'],
    ['. In the end it came to the sea, which', 'In the end it comes to the sea, which'],
  ])('the original of %j is whole words', async (quote, original) => {
    expect(await only(`"${quote}" [S1]`, 0)).toMatchObject({ result: 'fuzzy', original })
  })

  it('is judged by the nearest of several passages', async () => {
    const both = [
      source('S4', river.replace('hurry', 'worry')),
      source('S5', river.replace('hurry', 'hurrys')),
    ]
    const checks = await check('"The river does not hurry, said the miller" [S4, S5]', undefined, both)
    expect(checks.map((list) => list[0]?.result)).toEqual(['paraphrase', 'fuzzy'])
  })

  it('part by part if there are ellipses, never scattered', async () => {
    expect(await only('"The rivers does not hurry … it comes to the seas" [S1]', 0)).toMatchObject({
      result: 'fuzzy',
    })
    expect(await only('"The river does not come to the sea, said the miller" [S1]', 0)).toMatchObject({
      result: 'not_found',
    })
  })

  it('names the passage that has it letter for letter', async () => {
    const twin = source('S4', river.replace('hurry', 'worry'))
    const cited = [source('S1', river), twin]
    const [own] = await check('"The river does not worry, said the miller" [S1]', undefined, cited)
    const original = 'The river does not hurry, said the miller'
    expect(own?.[0]).toMatchObject({ result: 'fuzzy', original, found_ref: twin.ref })
  })
})

describe('misattributed and not found', () => {
  it('misattributed is what another cited passage has', async () => {
    expect(await only('"Every hill stands still" [S1]', 0)).toMatchObject({
      result: 'misattributed',
      found_ref: 'Book of Samples 3',
    })
  })

  it('or another passage of the library, which is asked for the words', async () => {
    const asked: string[] = []
    const found = await only('„נהר זורם לאט־לאט” [S2]', 1, async (words) => {
      asked.push(words)
      return { ref: 'Elsewhere 7', text: 'הנה נהר זורם לאט לאט אל הים' }
    })
    expect(found).toMatchObject({ result: 'misattributed', found_ref: 'Elsewhere 7' })
    expect(asked).toEqual(['נהר זורם לאט־לאט'])
  })

  it('another version of the cited ref is not another passage', async () => {
    const passage = { ref: 'Book of Samples 1', text: 'Now night falls over the valley.' }
    const found = await only('"Night falls over the valley" [S1]', 0, async () => passage)
    expect(found).toMatchObject({ result: 'verbatim', found_ref: 'Book of Samples 1' })
  })

  it('another version is named, and its offsets are not those of the cited one', async () => {
    const found = await only('"Night falls over the valley" [S2]', 1, async () => ({
      ...{ ref: 'Book of Samples 2', version: 'Second', text: 'Now night falls over the valley.' },
    }))
    const original = 'night falls over the valley'
    expect(found).toMatchObject({ result: 'verbatim', found_version: 'Second', original })
    expect(found).not.toHaveProperty('start')
    expect(found).not.toHaveProperty('end')
    const verification = found ? [found] : []
    const list = renderSourceList([{ source: source('S2', pointed), n: 1, verification }])
    expect(list).not.toContain('word for word')
    expect(list).toContain('Quotation: not in this version, but in  \nSecond')
  })

  it('with ellipses, another passage must bear out the whole', async () => {
    const result = async (passage: string) => {
      const found = async () => ({ ref: 'Elsewhere 7', text: passage })
      return (await only('"Night falls over the valley … nobody is awake" [S1]', 0, found))?.result
    }
    expect(await result('Night falls over the valley. See, nobody is awake.')).toBe('misattributed')
    expect(await result('Night falls over the valley. All are awake.')).toBe('not_found')
  })

  it('not found says how near the passage comes', async () => {
    const found = await only('"Nothing of this was ever written" [S1]', 0, async () => undefined)
    expect(found?.result).toBe('not_found')
    expect(found?.similarity).toBeGreaterThan(0)
    expect(found?.similarity).toBeLessThan(0.85)
    expect(found).not.toHaveProperty('original')
  })

  it('asks the library at most 100 times', async () => {
    let asked = 0
    const written = Array.from({ length: 150 }, (_, i) => `"Nothing of this was ever written ${i}" [S1].`)
    const [checks] = await check(written.join(' '), async () => {
      asked += 1
      return undefined
    })
    expect([asked, checks?.length]).toEqual([100, 150])
  })

  it('a library that fails makes the check fail', async () => {
    await expect(
      check('"Nothing of this was written" [S1]', () => Promise.reject(new Error('gone'))),
    ).rejects.toThrow('gone')
  })
})

describe('paraphrase', () => {
  it.each([
    ['no quotation', 'The river takes its time [S1].'],
    ['short words in quotation marks', 'The “river” takes its "time" [S1].'],
    ['the title in quotation marks', 'So the "Book of Samples" has it [S1].'],
    ['the Hebrew ref in quotation marks', 'כך ב"ספר הדוגמאות" [S1].'],
    ['a quotation beside a mark never offered', '"The river does not hurry" [S9].'],
  ])('%s', async (_, text) => {
    expect((await check(text))[0]).toEqual([{ result: 'paraphrase' }])
  })
})

it('a quotation with several marks belongs to the one it fits', async () => {
  const checks = await check('"Every hill stands still" [S1, S2, S3]')
  expect(checks.map(([first]) => first?.result)).toEqual(['paraphrase', 'paraphrase', 'verbatim'])
})

it('every quotation of a source has its entry, in order', async () => {
  const [checks] = await check(
    '"The river does not hurry" and "the sea, which was waiting" [S1]. "Clouds are made of iron" [S1]!',
  )
  expect(checks?.map(({ result }) => result)).toEqual(['verbatim', 'verbatim', 'not_found'])
})

describe('a mark and a place named in words', () => {
  const lookups = quoteLibrary(sources)
  const checked = (text: string) =>
    checkCitations({ text, cited: sources.map((entry, i) => ({ source: entry, n: i + 1 })), lookups })

  it('must both have the quotation', async () => {
    const { sources: all } = await checked('Book of Samples 3 says "The river does not hurry" [S1].')
    expect(all[0]?.verification).toMatchObject([
      { result: 'misattributed', named_ref: 'Book of Samples 3', found_ref: 'Book of Samples 1' },
    ])
  })

  it('agree', async () => {
    const { sources: all } = await checked('Book of Samples 1 says "The river does not hurry" [S1].')
    expect(all[0]?.verification).toMatchObject([{ result: 'verbatim' }])
  })

  it('a quotation without a mark is among the others, with its place', async () => {
    const { quotations } = await checked(
      'It says "Every hill stands still" and "every cloud drifts far away".',
    )
    expect(quotations).toMatchObject([
      { result: 'verbatim', found_ref: 'Book of Samples 3' },
      { result: 'not_found' },
    ])
  })
})

it('a quotation may run from one marked source into the next', async () => {
  const [one] = await check('"which was waiting אמר החכם שלום רב" [S1, S2]')
  expect(one).toMatchObject([{ result: 'verbatim', start: river.indexOf('which') }])
})

describe('names of God', () => {
  const text = "ברוך ה' אלהים אלהי ישראל, וידבר יי צבאות אל הויה אלקינו"
  it.each([
    'ברוך יי אלקים אלקי ישראל',
    "ברוך הוי' אלוקים אלוקי ישראל",
    'ברוך ה אלהים אלהי ישראל',
    "ברוך ד' אל-הים אלהי ישראל",
    "וידבר ה' צבקות אל י-ה-ו-ה אלהינו",
  ])('%s', async (quote) => {
    expect(await checkedIn(text, `„${quote}”`)).toMatchObject({ result: 'verbatim' })
  })
})
