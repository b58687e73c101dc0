import { counter } from '../../grammar/plural.ts'
import { century, year, yearRange } from './dates.ts'

const count = counter('en')

/** The search over the library. */
export const search = {
  search: 'Search',
  label: 'Search the texts',
  hint: 'Words, or a ref such as Tanya 32',
  language: 'Language',
  anyLanguage: 'Any language',
  only: 'Only in',
  title: (q: string) => `Search: ${q}`,
  facets: 'Narrow the results',
  works: 'Works',
  authors: 'Authors',
  categories: 'Categories',
  periods: 'Periods',
  languages: 'Languages',
  work: 'Work',
  author: 'Author',
  category: 'Category',
  period: 'Period',
  years: 'Years',
  /** Years of a filter; one of them may be missing. */
  between: (from: number | undefined, to: number | undefined) =>
    from === undefined
      ? `until ${year(to ?? 0)}`
      : to === undefined
        ? `from ${year(from)}`
        : yearRange(from, to),
  from: 'From year',
  to: 'To year',
  showYears: 'Show these years',
  century,
  undated: 'Not dated',
  without: (name: string) => `Without the filter “${name}”`,
  allResults: count({ one: '1 result', other: (n) => `${n} results` }),
  bestResults: (shown: number) => `Top ${shown} results`,
  begin: 'What are you looking for?',
  beginHint: 'Enter words in Hebrew, English or transliteration, or a ref such as “Tanya 32”.',
  none: 'No results',
  noneHint: 'Try fewer words, another spelling, or one characteristic word.',
  noneWithFilter: 'Nothing here has these words.',
  withoutFilters: 'Search the whole library',
  browse: 'Browse the works',
  ask: 'Ask the question instead',
  noMore: 'No more results',
  explain: 'Explain the ranking',
  whyHere: 'Why it stands here',
  backToBest: 'Back to the best results',
  best: 'Best results',
  more: 'More results',
  licence: 'Licence',
  unknown: ['The library has no “', '”.'] as readonly string[],
  nearest: 'The nearest ref that exists is',
  citing: 'Passages that cite it come first.',
  matching: 'The results below match its words.',
}
