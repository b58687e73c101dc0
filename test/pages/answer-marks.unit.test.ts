import { describe, expect, test } from 'vitest'
import type { QuotationMark } from '../../src/web/markdown/answer-marks.ts'
import { renderMarkdown } from '../../src/web/markdown/markdown.ts'

const missing = (quote: string): QuotationMark => ({ quote, kind: 'not_found', label: 'not found' })
const marked = (text: string, quotations: readonly QuotationMark[]) =>
  String(renderMarkdown(text, { citations: new Map([[1, { href: '#s1', label: 'Source 1' }]]), quotations }))
const note = '<span class="check-note not_found">not found</span>'

describe('checks in the sentences of an answer', () => {
  test('a label follows the closing sign of its quotation', () => {
    expect(
      marked('He says “the moon was full of fishes.” Then', [missing('the moon was full of fishes.')]),
    ).toBe(
      `<p dir="auto">He says “<span class="quoted not_found">the moon was full of fishes</span>.” ${note} Then</p>\n`,
    )
  })

  test('a label follows the closing sign after an ellipsis', () => {
    const quote = 'the moon was full of fishes'
    expect(marked(`He says “… ${quote}; …” [1]`, [missing(quote)])).toContain(
      `</span>; …” <span class="nowrap">${note}`,
    )
    expect(marked(`He says “${quote} ...” [1]`, [missing(quote)])).toContain(
      `</span> ...” <span class="nowrap">${note}`,
    )
    expect(marked(`„עבודת ה'. …” [1]`, [missing("עבודת ה'.")])).toContain(
      `</span>'. …” <span class="nowrap">${note}`,
    )
    expect(marked(`He says “${quote}” … and`, [missing(quote)])).toContain(`</span>” ${note} … and`)
  })

  test('an English quotation in Hebrew keeps its quotation marks on its own sides', () => {
    const quote = 'the moon was full of fishes'
    expect(marked(`גם באנגלית: “${quote}”.`, [missing(quote)])).toContain(
      `<bdi dir="ltr">“<span class="quoted not_found">${quote}</span>”</bdi>. ${note}`,
    )
    expect(marked(`In English: “${quote}”.`, [missing(quote)])).not.toContain('<bdi')
    expect(marked('נאמר ”הירח היה מלא”.', [missing('הירח היה מלא')])).not.toContain('<bdi')
  })

  test('a quotation with emphasis and a line break is marked in all its parts, with one label', () => {
    const html = marked('> the moon **was full**\n> of fishes [1]', [
      missing('the moon **was full** of fishes'),
    ])
    expect(html.match(/class="quoted not_found"/g)).toHaveLength(3)
    expect(html.split(note)).toHaveLength(2)
    expect(html.indexOf(note)).toBeGreaterThan(html.indexOf('of fishes'))
  })

  test('the same words quoted twice are marked in turn', () => {
    const quote = 'the moon was full of fishes'
    const twice: readonly QuotationMark[] = [
      missing(quote),
      { quote, kind: 'verbatim', label: 'word for word', sign: '✓' },
    ]
    const html = marked(`“${quote}” and “${quote}”`, twice)
    expect(html.indexOf('quoted not_found')).toBeLessThan(html.indexOf('quoted verbatim'))
  })

  test('a quotation that is not in the text changes nothing', () => {
    const text = 'Nothing of *this* [1] here.'
    expect(marked(text, [missing('words that the answer lacks')])).toBe(marked(text, []))
  })

  test('markup in a label, a quotation or a ref is shown as text', () => {
    const hostile = '<img src=x onerror=alert(1)>'
    const html = String(
      renderMarkdown(`“${hostile} is what he said” in ${hostile}`, {
        quotations: [
          {
            quote: `${hostile} is what he said`,
            kind: 'misattributed',
            label: hostile,
            href: `/x"${hostile}`,
          },
        ],
        refs: [{ written: hostile, href: `/y"${hostile}` }],
      }),
    )
    expect(html).not.toContain('<img')
    expect(html).not.toContain('="/x"')
  })

  test('a ref in a quotation is a link in it, and its label follows the quotation', () => {
    const quotations = [missing('as Gate 1:1 says, the moon was full')]
    const refs = [{ written: 'Gate 1:1', href: '/r/1' }]
    expect(
      String(renderMarkdown('He says “as Gate 1:1 says, the moon was full.”', { quotations, refs })),
    ).toBe(
      `<p dir="auto">He says “<span class="quoted not_found">as <a class="ref" href="/r/1">Gate 1:1</a> says, the moon was full</span>.” ${note}</p>\n`,
    )
  })

  test('a ref that begins or ends a quotation keeps the markup nested', () => {
    const quotations = [missing('Gate 1:1 means Gate 2:1')]
    const refs = [
      { written: 'Gate 1:1', href: '/r/1' },
      { written: 'Gate 2:1', href: '/r/2' },
    ]
    expect(String(renderMarkdown('“Gate 1:1 means Gate 2:1”', { quotations, refs }))).toContain(
      `“<span class="quoted not_found"><a class="ref" href="/r/1">Gate 1:1</a> means <a class="ref" href="/r/2">Gate 2:1</a></span>”`,
    )
  })

  test('a ref that crosses the edge of a quotation is no link', () => {
    const quotations = [missing('the moon in Gate')]
    const refs = [{ written: 'Gate 1:1', href: '/r/1' }]
    const html = String(renderMarkdown('He says “the moon in Gate” 1:1 often', { quotations, refs }))
    expect(html).toContain('quoted not_found')
    expect(html).not.toContain('/r/1')
  })

  test('refs become links in order, but not within longer words and links', () => {
    const refs = [
      { written: 'Gate 1:1', href: '/r/1' },
      { written: 'Gate 2:1', href: '/r/2' },
    ]
    const html = String(renderMarkdown('See Gate 1:1, then [Gate 2:1](https://example.org).', { refs }))
    expect(html).toContain('See <a class="ref" href="/r/1">Gate 1:1</a>, then')
    expect(html).not.toContain('/r/2')
    expect(String(renderMarkdown('See Gate 1:10.', { refs }))).not.toContain('/r/1')
    expect(String(renderMarkdown('See Gate 1:10 and Gate 1:1.', { refs }))).toContain(
      'and <a class="ref" href="/r/1">',
    )
  })
})
