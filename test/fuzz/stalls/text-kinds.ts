import { nestedText, type Size, type TextKind, textKind } from './kinds.ts'

/** A number as letters, so that texts differ. */
const letters = (n: number): string =>
  n.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
const hebrewLetters = (n: number): string =>
  n.toString(22).replaceAll(/./g, (digit) => 'אבגדהוזחטיכלמנסעפצקרשת'[Number.parseInt(digit, 22)] ?? '')

/** Plain repetition, which shows quadratic time of any text processing. */
const repetitions: readonly TextKind[] = [
  textKind('one letter', 'a'),
  textKind('one letter and another at the end', 'a', '', '!'),
  textKind('words that differ', (n) => `${letters(n * 7_919)} `),
  textKind('blanks', ' ', 'x', 'x'),
  textKind('line feeds', '\n', 'x', 'x'),
  textKind('lines of a letter', 'a\n'),
  textKind('digits', '9'),
  textKind('zeros and a point', '0', '1.', 'x'),
  textKind('backslashes', '\\', '', 'u000'),
  textKind('hyphens between letters', 'a-'),
  textKind('apostrophes between letters', "a's"),
  textKind('combining marks', '\u0301', 'e'),
  textKind('halves of pairs', '\ud83d'),
  textKind('emoji joined', '\u{1f468}\u200d'),
  textKind('directions', '\u202e\u200f'),
  textKind('capital dotted I', 'İ'),
  textKind('ligatures', 'ﷺﬁ'),
]

/** For passwords, email addresses and names, whose checks look at every part of a text. */
const fieldBait: readonly TextKind[] = [
  textKind('password that repeats', 'abc123'),
  textKind('password of dates', (n) => `${(n % 28) + 1}.${(n % 12) + 1}.19${10 + (n % 90)}`),
  textKind('password of other letters', '4@8({[</369&#!1/|0$5+7%2'),
  textKind('password along the keyboard', '1qaz2wsx3edc'),
  textKind('password of sequences', 'abcdefedcba'),
  textKind('password of common words', 'passwordletmein'),
  textKind('labels of an address', 'a.', 'a@', 'b'),
  textKind('signs of an address', '@'),
  textKind('addresses in line', 'a@b.example,'),
  textKind('path upwards', '../'),
  textKind('slashes', '/'),
  textKind('percent signs', '%'),
  textKind('escapes', '%D7%A9'),
  textKind('endings of a name', '.a', 'a'),
  textKind('base64', 'QUJD', 'data:image/png;base64,'),
  textKind('date', '0', '2026-01-01T00:00:00.', 'Z'),
  textKind('list of numbers', '1,'),
  textKind('ranges', '0-1,', 'bytes='),
  textKind('quoted tags', '"a",', '', 'W/'),
  textKind('commas and quotes', '"",'),
  textKind('quotes that open', '"'),
  textKind('pairs of a header', '; a=b', 'x'),
]

/** For search, refs and quotations. */
const libraryBait: readonly TextKind[] = [
  textKind(
    'quotations',
    (n) => `“${letters(n)} the soul of every Jew is a part” (Tanya 1:${(n % 30) + 1}). `,
  ),
  textKind('quotations without a ref', (n) => `"the ${letters(n)} beinoni never sinned ${letters(n * 31)}" `),
  textKind('Hebrew quotations', (n) => `"${hebrewLetters(n)} ונפש השנית בישראל היא חלק אלוה" (תניא פרק ב). `),
  textKind('quotations that never close', '“a word '),
  nestedText('quotations in quotations', '“', '”'),
  textKind('quotation marks of all kinds', "“”„‟«»״\"''"),
  textKind('refs', (n) => `Tanya, Part I; Likkutei Amarim ${n % 60}:${n % 9}; `),
  textKind('refs that do not exist', (n) => `Likkutei Amarin ${letters(n)} ${n}:1; `),
  textKind('one unknown title', (n) => `${letters(n * 104_729)} `, '', '12:3'),
  textKind('numbers of a ref', ':1', 'Tanya 1'),
  textKind('long number of a ref', '9', 'Tanya '),
  textKind('Roman numeral', 'MDCLXVI', 'Tanya, Part '),
  textKind('Roman ones', 'I', 'Tanya, Part ', ' 1'),
  textKind('chapters', ' chapter 1', 'Tanya'),
  textKind('sections and commas', ', §1', 'Tanya'),
  textKind('ranges of a ref', '1-', 'Tanya '),
  textKind('Hebrew letters', 'ש'),
  textKind('Hebrew with vowels', 'וְנֶפֶשׁ '),
  textKind('Hebrew words that differ', (n) => `${hebrewLetters(n * 7_919)} `),
  textKind('Hebrew prefixes', 'וכשמהב', '', 'ית'),
  textKind('abbreviations', (n) => `הקב"ה ${hebrewLetters(n)}״א ר' `),
  textKind('gershayim', '״', 'תניא ל', 'ב'),
  textKind('numeral of a thousand letters', 'ת', 'תניא ', '״ק'),
  textKind('maqafs', 'א־'),
  textKind('Hebrew refs', (n) => `תניא חלק א פרק ל״ב, ${hebrewLetters(n)}; `),
  textKind('marks', (n) => `word [S${n}] `),
  textKind('marks of nothing', '[S'),
  textKind('marks in one bracket', 'S1,', '[S1,', 'S1]'),
  textKind('ranges of marks', '[S1-S8]'),
  textKind('ranges in one bracket', 'S1-S8,', '[S1] [S1,', 'S1] “the soul of every Jew is a part”'),
  textKind('quotations in single marks', '‘a’'),
]

/**
 * Half of the text makes the columns of a table; the other half makes one-letter rows, which the parser fills
 * up to all columns.
 */
const squareTable: TextKind = (() => {
  const text = (size: Size): string => {
    const room = 'bytes' in size ? size.bytes : size.characters
    const columns = Math.max(2, Math.floor(room / 8))
    return `${'a|'.repeat(columns)}\n${'-|'.repeat(columns)}\n${'x\n'.repeat(columns)}`
  }
  return { name: 'table of many columns', text, json: (size) => JSON.stringify(text(size)) }
})()

/** For Markdown, HTML and displayed text. */
export const markupBait: readonly TextKind[] = [
  squareTable,
  textKind('table of many rows', '|x\n', '|a|b|c|d|e|f|g|h\n|-|-|-|-|-|-|-|-\n'),
  textKind('tables', 'a|b\n-|-\n\n'),
  nestedText('brackets', '[', ']'),
  nestedText('links in links', '[a', '](b)'),
  nestedText('stars', '*', '*'),
  nestedText('stars and words', '*a ', '*'),
  nestedText('lines', '_a', '_'),
  textKind('emphasis of all kinds', '*a_b~~'),
  textKind('stars that open', 'a**b'),
  textKind('quotes in quotes', '> '),
  textKind('lines of quotes', '>>>>>>>>>>>>>>>>>>>>a\n'),
  textKind('lists in lists', '- '),
  textKind('list items', '- a\n'),
  textKind('numbers of a list', '1. '),
  textKind('steps to the right', (n) => `${' '.repeat(n % 400)}- a\n`),
  textKind('backticks', (n) => `${'`'.repeat((n % 300) + 1)}a`),
  textKind('fences', '```\n'),
  textKind('images', '!['),
  textKind('links that open', '[a]('),
  textKind('links without end', '[a](<b'),
  textKind('definitions', (n) => `[${letters(n)}]: /u\n`),
  textKind('links by name', '[a][b] '),
  textKind('addresses', 'https://a.example/('),
  textKind('signs of tags', '<'),
  textKind('tags', '<a>'),
  textKind('tags that open', '<a '),
  textKind('comments', '<!--'),
  textKind('declarations', '<!A '),
  textKind('instructions', '<?'),
  textKind('sections of text', '<![CDATA['),
  textKind('entities', '&amp;'),
  textKind('entities without end', '&'),
  textKind('headings', '# a\n'),
  textKind('lines below', 'a\n='),
  textKind('rules', '***\n'),
  textKind('hard breaks', 'a  \n'),
  textKind('escapes of marks', '\\*'),
]

/** All kinds of text; the most productive one comes first in each class. */
export const textKinds: readonly TextKind[] = [repetitions, fieldBait, libraryBait, markupBait].flat()

/** Kinds for headers, which are Latin-1 only. */
const ofHeaders: ReadonlySet<string> = new Set([
  'one letter and another at the end',
  'blanks',
  'digits',
  'hyphens between letters',
  'escapes',
  'list of numbers',
  'ranges',
  'quoted tags',
  'commas and quotes',
  'quotes that open',
  'pairs of a header',
])
export const headerKinds: readonly TextKind[] = textKinds.filter(({ name }) => ofHeaders.has(name))
