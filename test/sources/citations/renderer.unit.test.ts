import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { OfferedSource } from '../../../src/agent/tools.ts'
import { createCitationRenderer } from '../../../src/sources/citations/renderer.ts'
import { times } from '../../support/full.ts'
import { expectLinear } from '../../support/growth.ts'
import { offeredSource } from '../../support/quote-library.ts'

const offered = new Map(['S1', 'S2', 'S3', 'S4', 'S12'].map((mark) => [mark, sourceOf(mark)]))

function sourceOf(mark: string): OfferedSource {
  return offeredSource({ mark, ref: `Book ${mark.slice(1)}`, url: 'https://example.org' })
}

function render(deltas: readonly string[], options: { numbers?: boolean; links?: boolean } = {}) {
  const renderer = createCitationRenderer((mark) => offered.get(mark), options)
  const shown = deltas.map((delta) => renderer.push(delta)).join('')
  return {
    text: shown + renderer.end().text,
    cited: renderer.cited().map(({ source, n }) => `${n}:${source.mark}`),
    unknown: renderer.unknownMarks(),
    annotations: renderer.annotations(),
    raw: renderer.raw(),
  }
}

describe('marks become numbers by first use', () => {
  it.each([
    ['A [S2]. B [S1]. C [S2].', 'A [1]. B [2]. C [1].', ['1:S2', '2:S1']],
    ['A [S1, S2] b.', 'A [1][2] b.', ['1:S1', '2:S2']],
    ['A [S1; S2;S3] b.', 'A [1][2][3] b.', ['1:S1', '2:S2', '3:S3']],
    ['A [S1 and S2] b.', 'A [1][2] b.', ['1:S1', '2:S2']],
    ['A [S1] [S2] b.', 'A [1] [2] b.', ['1:S1', '2:S2']],
    ['A [s1] b.', 'A [1] b.', ['1:S1']],
    ['A [S01] b.', 'A [1] b.', ['1:S1']],
    ['A [^S1] b.', 'A [1] b.', ['1:S1']],
    ['A 【S1】 b.', 'A [1] b.', ['1:S1']],
    ['A 【S1†lines 4-9】 b.', 'A [1] b.', ['1:S1']],
    ['A (S1) b.', 'A [1] b.', ['1:S1']],
    ['A (S1, S2) b.', 'A [1][2] b.', ['1:S1', '2:S2']],
    ['A [S2-S4] b.', 'A [1][2][3] b.', ['1:S2', '2:S3', '3:S4']],
    ['A [S2–4] b.', 'A [1][2][3] b.', ['1:S2', '2:S3', '3:S4']],
    ['A [S1, 2] b.', 'A [1][2] b.', ['1:S1', '2:S2']],
  ])('%s', (written, shown, cited) => {
    const result = render([written])
    expect(result.text).toBe(shown)
    expect(result.cited).toEqual(cited)
    expect(result.unknown).toEqual([])
    expect(result.raw).toBe(written)
  })

  it('keeps words that share the brackets with a mark', () => {
    expect(render(['A [S1, Tanya 32:4] b [S1: see there]']).text).toBe('A [1, Tanya 32:4] b [1: see there]')
    expect(render(['A [S9, Tanya 32:4] b.']).text).toBe('A [Tanya 32:4] b.')
    expect(render(['A [S1, 32:4] b.']).text).toBe('A [1, 32:4] b.')
    expect(render(['A [S1, 32] b.']).text).toBe('A [1, 32] b.')
  })

  it('reads a group of any length', () => {
    const written = `A [${Array.from({ length: 200 }, () => 'S1, S2').join(', ')}].`
    expect(render([...written])).toEqual({ ...render([written]), text: `A ${'[1][2]'.repeat(200)}.` })
  })

  it('closes a mark whose bracket was forgotten', () => {
    expect(render(['A [S1.\nB [S2\nC [S3 \nD']).text).toBe('A [1].\nB [2]\nC [3] \nD')
  })
})

describe('marks never offered leave grammatical text', () => {
  it.each([
    ['… the beinoni [S9].', '… the beinoni.'],
    ['the beinoni ([S9]).', 'the beinoni.'],
    ['the beinoni **[S9]**.', 'the beinoni.'],
    ['the beinoni ([S9] is doubtful)', 'the beinoni (is doubtful)'],
    ['the beinoni [S9][S8].', 'the beinoni.'],
    ['the beinoni [S9, S1].', 'the beinoni [1].'],
    ['the beinoni [S1, S9].', 'the beinoni [1].'],
    ['[S9] The beinoni', 'The beinoni'],
    ['One.\n[S9] [S8] Two.', 'One.\nTwo.'],
  ])('%s', (written, shown) => {
    expect(render([written]).text).toBe(shown)
    expect(render([...written]).text).toBe(shown)
    expect(render([written]).unknown.length).toBeGreaterThan(0)
  })

  it('are counted each time', () => {
    expect(render(['A [S9, S1] [S8] [S9].']).unknown).toEqual(['S9', 'S8', 'S9'])
  })

  it('count twice in a range too wide to be meant', () => {
    expect(render(['A [S20-S9000].']).unknown).toEqual(['S20', 'S9000'])
  })

  it('do not include round brackets, which are ordinary text then', () => {
    const result = render(['Section (S9) holds.'])
    expect(result.text).toBe('Section (S9) holds.')
    expect(result.unknown).toEqual([])
  })
})

describe('text without marks passes unchanged', () => {
  it.each([
    'S1 is bare, [S is open, [Sefer] is a word, [S1a] too, [S12345] is too long, [S',
    'arr[0] = (x) * y ** z __init__ [ ] [[ ]] 【x】 [^1]: note',
    'Two  blanks ( and * stars',
  ])('%s', (written) => {
    const plain = written.endsWith('[S') ? written.slice(0, -3) : written
    expect(render([...written]).text).toBe(plain)
  })

  it('whatever it holds', () => {
    const piece = fc.constantFrom(...'[]()*_ \nxא1【】,😀')
    fc.assert(
      fc.property(
        fc.array(piece).map((parts) => parts.join('')),
        (text) => {
          expect(render([...text]).text).toBe(text)
        },
      ),
    )
  })

  it('and shows a bracket as soon as it is no mark', () => {
    const renderer = createCitationRenderer((mark) => offered.get(mark))
    expect(renderer.push('a [')).toBe('a')
    expect(renderer.push('b')).toBe(' [b')
    expect(renderer.push(' [S')).toBe('')
    expect(renderer.push('e')).toBe(' [Se')
  })
})

describe('a reply that ends inside a mark', () => {
  it.each([
    ['A b [S', 'A b'],
    ['A b [S1', 'A b'],
    ['A b [S1, S', 'A b [1]'],
    ['A b [S1, ', 'A b [1]'],
    ['A b [', 'A b ['],
  ])('%s shows no half of it', (written, shown) => {
    expect(render([...written]).text).toBe(shown)
  })
})

describe('positions', () => {
  it('are those of the numbers in the visible text, in UTF-16 units', () => {
    const { text, annotations } = render(['😀 א [S9] [S2], (S1) [S2, S3] [S1, ch. 3].'])
    expect(text).toBe('😀 א [1], [2] [1][3] [2, ch. 3].')
    expect(annotations.map(({ n, start, end }) => `${n} ${text.slice(start, end)}`)).toEqual(
      '1 [1]|2 [2]|1 [1]|3 [3]|2 2'.split('|'),
    )
  })

  it('are empty where marks vanish, and the text is whole without them', () => {
    const { text, annotations, cited } = render(['A [S1], b [S2, S9]. ([S1])'], { numbers: false })
    expect(text).toBe('A, b.')
    expect(cited).toEqual(['1:S1', '2:S2'])
    expect(annotations).toEqual([
      { n: 1, start: 1, end: 1 },
      { n: 2, start: 4, end: 4 },
      { n: 1, start: 5, end: 5 },
    ])
  })
})

const pieces = [
  ...[
    '[',
    ']',
    '(',
    ')',
    '【',
    '】',
    '†',
    'S',
    's',
    '1',
    '2',
    '9',
    '12',
    ', ',
    ',',
    '; ',
    ' and ',
    'an',
    '-',
  ],
  '–',
  ...[' ', '  ', '\n', '*', '**', '_', '^', 'x', 'א', '.', '😀'],
  ...['[S1]', '[S9]', '(S1)', '[S1, S2]', '[S9-S12]', ' [S1, 2'],
]
const modelText = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))

describe('streaming', () => {
  it('shows the same however the text is cut', () => {
    const cuts = fc.array(fc.nat(60), { maxLength: 30 })
    fc.assert(
      fc.property(modelText, cuts, fc.boolean(), (text, places, numbers) => {
        const cut = [0, ...places.map((place) => Math.min(place, text.length)), text.length]
        const sorted = [...new Set(cut)].sort((a, b) => a - b)
        const deltas = sorted.slice(1).map((end, i) => text.slice(sorted[i], end))
        expect(render(deltas, { numbers })).toEqual(render([text], { numbers }))
        expect(render(text.split(''), { numbers })).toEqual(render([text], { numbers }))
      }),
      { numRuns: times(1_000, 20_000) },
    )
  })

  it('holds back at most 42 characters', () => {
    fc.assert(
      fc.property(modelText, (text) => {
        const renderer = createCitationRenderer((mark) => offered.get(mark))
        for (const unit of text.split('')) renderer.push(unit)
        expect(renderer.end().text.length).toBeLessThanOrEqual(42)
      }),
    )
    const renderer = createCitationRenderer((mark) => offered.get(mark))
    expect(renderer.push(`([S1, ${'x'.repeat(4)}`)).toBe('([1, xxxx')
    expect(renderer.push(`【S1†${'x'.repeat(42)}`)).toContain('xxx')
    expect(renderer.push(` (${'S1, '.repeat(12)}`)).toContain('S1')
  })

  it.each(['[', '(', '*', ' ', '[S1', '[S1, ', '([', '**[S9]', '[S1 and ', '('.repeat(3), '【S1†'])(
    'reads 10^5 characters of %j in proportion to the length, whole and in pieces',
    async (unit) => {
      const text = (length: number) => unit.repeat(length / unit.length)
      await expectLinear((length) => [text(length)], render, 100_000)
      await expectLinear((length) => text(length).match(/[\s\S]{1,4}/g) ?? [], render, 100_000)
    },
  )
})

it('a text shows at most 5,000 numbers, however many its ranges stand for', () => {
  const { text, annotations, unknown } = render([`${'[S1-S4]'.repeat(3_000)} end`])
  expect(annotations).toHaveLength(5_000)
  expect(text).toHaveLength(5_000 * '[1]'.length + ' end'.length)
  expect(unknown).toEqual([])
})

it('a group of 60,000 marks in one delta is shown in proportion to their number', async () => {
  await expectLinear((marks) => [`[S1${',S1'.repeat(marks)}]`], render, 60_000)
})

describe('marks become Markdown links if the client wants them', () => {
  it.each([
    ['A [S2]. B [S1][S2].', 'A [1](U). B [2](U)[1](U).'],
    ['A [S1, S2] and [S9].', 'A [1](U)[2](U) and.'],
  ])('%s', (text, short) => {
    const linked = short.replaceAll('U', 'https://example.org')
    for (let size = 1; size <= text.length; size += 1) {
      const deltas = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? []
      const { text: shown, annotations } = render(deltas, { links: true })
      expect(shown).toBe(linked)
      for (const { n, start, end } of annotations)
        expect(shown.slice(start, end)).toBe(`[${n}](https://example.org)`)
    }
  })

  it('a URL cannot end its link early, and a source without one has only its number', () => {
    const find = (mark: string) => ({
      ...sourceOf(mark),
      url: mark === 'S1' ? 'https://example.org/a (b)<c>' : '',
    })
    const renderer = createCitationRenderer(find, { links: true })
    const shown = renderer.push('A [S1] and [S2].') + renderer.end().text
    expect(shown).toBe('A [1](https://example.org/a%20%28b%29%3Cc%3E) and [2].')
  })

  it('`numbers: false` wins over links', () => {
    expect(render(['A [S1].'], { numbers: false, links: true }).text).toBe('A.')
  })
})
