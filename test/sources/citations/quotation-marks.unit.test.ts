import { describe, expect, it } from 'vitest'
import { findQuotations } from '../../../src/sources/citations/quotations/quotes.ts'
import { expectLinear } from '../../support/growth.ts'

const quotesIn = (text: string) => findQuotations(text, []).quotations.map((one) => one.text)

const english = 'the river runs slowly'
const hebrew = 'הנהר זורם לאט מאוד'

describe('a quotation is found in', () => {
  it.each([
    ['»…«', `He said »${english}« then.`, english],
    ['»…« in Hebrew', `אמר »${hebrew}« ושתק.`, hebrew],
    ['»…« at the beginning', `»${hebrew}« אמר הרב.`, hebrew],
    ['»…« with a point before the end', `אמר: »${hebrew}.«`, `${hebrew}.`],
    ['»…« in brackets', `(»${english}«)`, english],
    ['»…« after a Hebrew prefix', `נאמר ש»${hebrew}« כידוע`, hebrew],
    ['»…«, two in a line', `»${english}« and »${english}« too`, [english, english]],
    ['»…« over a line break', '»the river\nruns slowly«', english],
    ['»…»', `Han sade »${english}» sedan.`, english],
    ['«…» next to each other', `«${english}», «${hebrew}»`, [english, hebrew]],
    ['›…‹', `He said ›${english}‹ then.`, english],
    ['›…‹ in Hebrew', `אמר ›${hebrew}‹ ושתק.`, hebrew],
    ['‹…›', `אמר ‹${hebrew}› ושתק.`, hebrew],
    ['»…« with ›…‹ inside', `»he said ›go now‹ and went«`, 'he said ›go now‹ and went'],
    ['<<…>>', `He said <<${english}>> then.`, english],
    ['<<…>> in Hebrew', `אמר <<${hebrew}>> ושתק.`, hebrew],
    ["``…''", `He said \`\`${english}'' then.`, english],
    ["``…'' with a point", `He said \`\`${english}.'' Then`, `${english}.`],
    ['``…"', `He said \`\`${english}" then.`, english],
    ["``…'' with `…' inside", "He said ``go to `the river' now'' then.", "go to `the river' now"],
    ["`…'", `He said \`${english}' then.`, english],
    ["''…''", `אמר ''${hebrew}'' ושתק.`, hebrew],
    [",,…''", `אמר ,,${hebrew}'' ושתק.`, hebrew],
    [',,…"', `אמר ,,${hebrew}" ושתק.`, hebrew],
    [',,…”', `He said ,,${english}” then.`, english],
    ['׳׳…׳׳', `אמר ׳׳${hebrew}׳׳ ושתק.`, hebrew],
    ['„…“', `אמר „${hebrew}“ ושתק.`, hebrew],
    ['„…”', `אמר „${hebrew}” ושתק.`, hebrew],
    ['“…„', `אמר “${hebrew}„ ושתק.`, hebrew],
    ['“…„, and more behind it', `אמר “${hebrew}„ ושתק. אחר כך הלך לביתו ולא שב`, hebrew],
    ['”…„', `אמר ”${hebrew}„ ושתק.`, hebrew],
    ['„…„', `אמר „${hebrew}„ ושתק.`, hebrew],
    ['‟…”', `He said ‟${english}” then.`, english],
    ['″…″', `He said ″${english}″ then.`, english],
    ['″…″ in Hebrew with gershayim', `אמר ″כך כתב הרמב″ם בספרו″ ושתק.`, 'כך כתב הרמב″ם בספרו'],
    ['′…′', `He said ′${english}′ then.`, english],
    ['＂…＂', `He said ＂${english}＂ then.`, english],
    ['＂…＂ in Hebrew', `אמר ＂${hebrew}＂ ושתק.`, hebrew],
    ['＇…＇', `He said ＇${english}＇ then.`, english],
    ['‛…’', `He said ‛${english}’ then.`, english],
    ['「…」', `He said 「${english}」 then.`, english],
    ['「…」 in Hebrew', `אמר 「${hebrew}」 ושתק.`, hebrew],
    ['『…』', `He said 『${english}』 then.`, english],
    ['「…」 with 『…』 inside', '「he said 『go now』 and went」', 'he said 『go now』 and went'],
    ['「…」 with 「…」 inside', '「he said 「go now」 and went」', 'he said 「go now」 and went'],
    ['｢…｣', `He said ｢${english}｣ then.`, english],
    ['《…》', `He said 《${english}》 then.`, english],
    ['〝…〞', `He said 〝${english}〞 then.`, english],
    ['〝…〟', `He said 〝${english}〟 then.`, english],
    ['❝…❞', `He said ❝${english}❞ then.`, english],
    ['&quot;…&quot;', `He said &quot;${english}&quot; then.`, english],
    ['&ldquo;…&rdquo;', `He said &ldquo;${english}&rdquo; then.`, english],
    ['<q>…</q>', `He said <q>${english}</q> then.`, english],
    ['“…” with 「…」 inside', '“he said 「go now」 and went”', 'he said 「go now」 and went'],
  ])('%s', (_, text, quoted) => {
    expect(quotesIn(text)).toEqual([quoted].flat())
  })
})

describe('no quotation is found in', () => {
  it.each([
    ['inches', 'A board of 5″ by 7″ and one of 12″ by 30″ are enough for the house.'],
    ['inches with a blank', 'A board 5 ″ wide and long enough and one 7 ″ wide.'],
    ['inches in straight marks', 'A board of 5" by 7" and one of 12" by 30" are enough.'],
    ['feet and inches', 'He is 5′ 11″ tall and his brother is 6′ 2″ tall, they say.'],
    ['minutes and seconds', 'At 31° 46′ 40″ north and 35° 14′ 07″ east, or 31° 46\' 40" N.'],
    ['a derivative', "The slope f''(x) of the curve and its f'(x) at the point, and g''(x) too."],
    ['primes of letters', 'Let x′ and y′ be points, x″ and y″ their images under the map.'],
    ['TeX maths', "Let $a_{1}'' + b$ be given, and $c''$ be \\textbf{the sum of all} of it."],
    ['a TeX command', '\\footnote{the river runs slowly} and \\emph{the hill stands still}'],
    ['generics', 'A Map<String, List<Map<String, Integer>>> holds the names of all rivers.'],
    ['shifts of bits', 'Write a << b and then x >> y to move the bits of the number.'],
    ['shifts without blanks', 'Write 1<<b and then the value of x>>2 of it.'],
    ['a here document', 'cat <<EOF and then the words of the file come, >> out.txt'],
    ['a code span', 'Run `npm run the whole thing` before you go home.'],
    ['a code span and an apostrophe', "Run `npm run it` and read all of the users' guide now."],
    ['a code span in two signs', 'Run ``npm run the whole thing`` before you go home.'],
    ['a code span and the end of a quotation', "Run ``npm run`` and see f'' of the function."],
    ['a fence', '```\nthe river runs slowly\n```'],
    ['breadcrumbs', 'Home » Library of books » Tanya and others « back'],
    ['an arrow before lines', '» the river runs slowly\n» the hill stands still'],
    ['between French quotations', '«abc», and the other words here «def»'],
    ['between tight French quotations', '« abc », but not these other words, « def »'],
    ['comparisons', 'Since a < b and the second one c > d holds, all is well.'],
    ['arrows', 'Go from A >> B and then back to the first << A of them.'],
    ['two commas', 'The row is a,,b and the next one c,,d has the same form "x"'],
    ['empty fields', 'One,,two words of it,,three" and four'],
    ['an unclosed bracket', 'He wrote 「the river runs slowly and went home'],
    ['an unopened bracket', 'He wrote the river runs slowly」 and went home'],
    ['a bracket over paragraphs', 'He wrote 「the river\n\nruns slowly」 and went'],
    ['gershayim as primes', 'הרמב″ם והרמב″ן והראב″ד כתבו כך, ושל″ה הביא משמם'],
    ['gershayim as two signs', "הרמב''ם והרמב''ן והראב''ד כתבו כך, ושל''ה הביא משמם"],
    ['a geresh as a prime', 'כתב ר′ משה אל ר′ יוסף וגם ה′ עמו בכל אשר יפנה'],
    ['fullwidth gershayim', 'הרמב＂ם והרמב＂ן והראב＂ד כתבו כך בספריהם'],
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
  for (const piece of [
    '「',
    '「』',
    ',,a ',
    '``a ',
    "''a ",
    '»a ',
    '<<a ',
    '&quot;a ',
    '<q>a',
    '`a ',
    '„',
    '“„',
  ])
    await expectLinear((size) => piece.repeat(size), quotesIn, 20_000)
})
