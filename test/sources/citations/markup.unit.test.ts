import { describe, expect, it } from 'vitest'
import { quoteChecker } from '../../support/quote-library.ts'

const library = [
  {
    ref: 'Sayings 1',
    text: "Gladness is not an ornament but a condition for one's service. Self-nullification is its root.",
  },
  {
    ref: 'Sayings 2',
    text: 'כגון שני אנשים המתאבקים זה עם זה, כי לא זו הדרך ישכון אור ה׳ להיות חפץ בחיים. ויש ה׳ לשונות.',
  },
  { ref: 'Sayings 3', text: 'וגם להמשיך אור א"ס ב"ה בכנסת ישראל כולה' },
]

const checked = quoteChecker(library)

describe('a quotation is verbatim', () => {
  it.each([
    ['with a link', '“Gladness is not an [ornament](https://books.example/a?b=c#d) but a condition”'],
    ['with a raised number of a footnote', '“Gladness is not an ornament¹ but a condition”'],
    ['with the number of a footnote in HTML', '“Gladness is not an ornament<sup>[3]</sup> but a condition”'],
    ['with the letter of a footnote', '"כגון שני אנשים[א] המתאבקים זה עם זה"'],
    ['with a word that a line break divides', '“Gladness is not an orna-\nment but a condition”'],
    [
      'in a block with a word that a line break divides',
      '> Gladness is not an orna-\n> ment but a condition\n\n—',
    ],
    [
      'with a line break at a hyphen of its own',
      '“but a condition for one’s service. Self-\nnullification is its root”',
    ],
    ['with a space of HTML', '“Gladness is not&nbsp;an ornament but a&#160;condition”'],
    ['with an apostrophe of HTML', '“but a condition for one&#39;s service. Self&ndash;nullification”'],
    ['with an apostrophe of HTML by name', '“but a condition for one&rsquo;s service”'],
    ['after a mark of text direction', '\u202b"כגון שני אנשים המתאבקים זה עם זה"\u202c'],
    ['with a struck word that the passage lacks', '“Gladness is ~~never~~ not an ornament”'],
    [
      'with a hidden word that the passage lacks',
      '“Gladness is not <!-- never --> an ornament but a condition”',
    ],
    [
      'with a word in an element',
      '“Gladness is <span class="hidden">not</span> an ornament but a condition”',
    ],
    ['with a substitute for the Name before an infinitive', '"הדרך ישכון אור ד׳ להיות חפץ בחיים"'],
  ])('%s', async (_, text) => {
    expect(await checked(`${text} (Sayings ${/[א-ת]/.test(text) ? 2 : 1})`)).toMatchObject({
      result: 'verbatim',
    })
  })
})

it('gershayim of two apostrophes do not end a quotation in single marks', async () => {
  const quote = "וגם להמשיך אור א''ס ב''ה בכנסת ישראל"
  expect(await checked(`'${quote}' (Sayings 3)`)).toMatchObject({ quote, result: 'verbatim' })
})

describe('a quotation is not verbatim', () => {
  it.each([
    ['with a struck word of the passage', '“Gladness is ~~not~~ an ornament but a condition” (Sayings 1)'],
    ['with a struck word in HTML', '“Gladness is <del>not</del> an ornament but a condition” (Sayings 1)'],
    ...[
      ...[
        '<!-- not -->',
        '<span hidden>not</span>',
        '<span hidden="">not</span>',
        '<i hidden><b>not</b></i>',
      ],
      ...['<span style="display:none">not</span>', "<b style='color: red; visibility: hidden'>not</b>"],
      ...['<template>not</template>', '<script>not</script>', '[^not]', '![not](a.png)'],
    ].map((not) => [
      'with a hidden word of the passage',
      `“Gladness is ${not} an ornament but a condition” (Sayings 1)`,
    ]),
    [
      'with another text in a link',
      '“Gladness is not a [burden](https://books.example) but a condition” (Sayings 1)',
    ],
    ['with another number before a counted thing', '"חפץ בחיים. ויש ד׳ לשונות" (Sayings 2)'],
  ])('%s', async (_, text) => {
    expect((await checked(text))?.result).not.toBe('verbatim')
  })
})
