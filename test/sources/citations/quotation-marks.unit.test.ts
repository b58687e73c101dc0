import { describe, expect, it } from 'vitest'
import { findQuotations } from '../../../src/sources/citations/quotations/quotes.ts'
import { expectLinear } from '../../support/growth.ts'

const quotesIn = (text: string) => findQuotations(text, []).quotations.map((one) => one.text)

const english = 'the river runs slowly'
const hebrew = 'הנהר זורם לאט מאוד'

describe('a quotation in either language is found in', () => {
  it.each([
    ...['»…«', '»…»', '›…‹', '‹…›', '<<…>>', "``…''", '``…"', "''…''", ",,…''", ',,…"', ',,…”', '׳׳…׳׳'],
    '“…„',
    ...[
      '”…„',
      '„…„',
      '″…″',
      '＂…＂',
      '「…」',
      '『…』',
      '｢…｣',
      '《…》',
      '〝…〞',
      '❝…❞',
      '&quot;…&quot;',
      '<q>…</q>',
    ],
  ])('%s', (marks) => {
    expect(quotesIn(`He said ${marks.replace('…', english)} then.`)).toEqual([english])
    expect(quotesIn(`אמר ${marks.replace('…', hebrew)} ושתק. אחר כך הלך לביתו ולא שב`)).toEqual([hebrew])
  })

  it.each(["`…'", '′…′', '＇…＇', '‛…’'])('%s, in English', (marks) => {
    expect(quotesIn(`He said ${marks.replace('…', english)} then.`)).toEqual([english])
  })

  it.each([
    ['»…« at the beginning', `»${hebrew}« אמר הרב.`, hebrew],
    ['»…« in brackets', `(»${english}«)`, english],
    ['»…« after a Hebrew prefix', `נאמר ש»${hebrew}« כידוע`, hebrew],
    ['»…«, two in a line', `»${english}« and »${english}« too`, [english, english]],
    ['»…« over a line break', '»the river\nruns slowly«', english],
    ['«…» next to each other', `«${english}», «${hebrew}»`, [english, hebrew]],
    ['»…« with ›…‹ inside', `»he said ›go now‹ and went«`, 'he said ›go now‹ and went'],
    ["``…'' with `…' inside", "He said ``go to `the river' now'' then.", "go to `the river' now"],
    ['″…″ in Hebrew with gershayim', `אמר ″כך כתב הרמב″ם בספרו″ ושתק.`, 'כך כתב הרמב″ם בספרו'],
    ['「…」 with 『…』 inside', '「he said 『go now』 and went」', 'he said 『go now』 and went'],
    ['「…」 with 「…」 inside', '「he said 「go now」 and went」', 'he said 「go now」 and went'],
    ['“…” with 「…」 inside', '“he said 「go now」 and went”', 'he said 「go now」 and went'],
  ])('%s', (_, text, quoted) => {
    expect(quotesIn(text)).toEqual([quoted].flat())
  })
})

describe('no quotation is found in', () => {
  it.each([
    ['inches', 'A board of 5″ by 7″ and one of 12″ by 30″ are enough for the house.'],
    ['inches in straight marks', 'A board of 5" by 7" and one of 12" by 30" are enough.'],
    ['feet and inches', 'He is 5′ 11″ tall and his brother is 6′ 2″ tall, they say.'],
    ['a derivative', "The slope f''(x) of the curve and its f'(x) at the point, and g''(x) too."],
    ['TeX maths', "Let $a_{1}'' + b$ be given, and $c''$ be \\textbf{the sum of all} of it."],
    ['a TeX command', '\\footnote{the river runs slowly} and \\emph{the hill stands still}'],
    ['generics', 'A Map<String, List<Map<String, Integer>>> holds the names of all rivers.'],
    ['shifts of bits', 'Write a << b and then x >> y to move the bits of the number.'],
    ['a here document', 'cat <<EOF and then the words of the file come, >> out.txt'],
    ['a code span', 'Run `npm run the whole thing` before you go home.'],
    ['a code span and the end of a quotation', "Run ``npm run`` and see f'' of the function."],
    ['a fence', '```\nthe river runs slowly\n```'],
    ['breadcrumbs', 'Home » Library of books » Tanya and others « back'],
    ['an arrow before lines', '» the river runs slowly\n» the hill stands still'],
    ['between French quotations', '«abc», and the other words here «def»'],
    ['comparisons', 'Since a < b and the second one c > d holds, all is well.'],
    ['two commas', 'The row is a,,b and the next one c,,d has the same form "x"'],
    ['empty fields', 'One,,two words of it,,three" and four'],
    ['an unclosed bracket', 'He wrote 「the river runs slowly and went home'],
    ['a bracket over paragraphs', 'He wrote 「the river\n\nruns slowly」 and went'],
    ['gershayim as primes', 'הרמב″ם והרמב″ן והראב″ד כתבו כך, ושל″ה הביא משמם'],
    ['gershayim as two signs', "הרמב''ם והרמב''ן והראב''ד כתבו כך, ושל''ה הביא משמם"],
    ['a geresh as a prime', 'כתב ר′ משה אל ר′ יוסף וגם ה′ עמו בכל אשר יפנה'],
    ['an apostrophe as a prime', 'He didn′t say what the others′ words were about.'],
    ['an unclosed grave accent', 'He wrote `the river runs slowly and went home'],
    ['a title in brackets', 'See 《Tanya》 for it.'],
    ['a term', 'The word »bittul« and the word 「ayin」 are terms.'],
    ['entities', 'Bread &amp; wine &lt;and the other things&gt; of the house.'],
    ["an editor's brackets", 'The text has ⟨the river runs slowly⟩ by conjecture.'],
  ])('%s', (_, text) => {
    expect(quotesIn(text)).toEqual([])
  })
})

it('a mark that stands for a quotation does not slow a hostile text down', async () => {
  const pieces = ['「', '「』', ',,a ', '``a ', "''a ", '»a ', '<<a ', '&quot;a ', '<q>a', '`a ', '„', '“„']
  for (const piece of pieces) await expectLinear((size) => piece.repeat(size), quotesIn, 10_000)
})
