import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { excerptOf } from '../../src/web/pages/previews/excerpt.ts'

const words = fc.array(fc.constantFrom('lamp', 'a', 'darkness', 'נֵר', 'הַחֹשֶׁךְ', 'in'), {
  minLength: 1,
  maxLength: 200,
})

describe('an excerpt of a passage', () => {
  test('cuts no word', () => {
    fc.assert(
      fc.property(words, fc.nat(), (list, at) => {
        const text = list.join(' ')
        const start = at % text.length
        const shown = excerptOf(text, [{ start, end: Math.min(text.length, start + 12) }], 60).text
        for (const word of shown.replaceAll('…', '').trim().split(/\s+/)) expect(list).toContain(word)
      }),
    )
  })

  test('shows the quoted words at their new place', () => {
    const text = `${'before '.repeat(60)}the quoted words${' after'.repeat(60)}`
    const start = text.indexOf('the quoted words')
    const cut = excerptOf(text, [{ start, end: start + 16 }])
    const [span] = cut.spans
    expect(cut.text.slice(span?.start, span?.end)).toBe('the quoted words')
    expect(cut.text).toMatch(/^… before .* after …$/)
  })

  test('a short text is whole', () => {
    expect(excerptOf('A small lamp.', []).text).toBe('A small lamp.')
  })
})
