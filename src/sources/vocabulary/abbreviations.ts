import { readTable } from './data/table.ts'

/**
 * Abbreviations of rabbinic and chassidic Hebrew with their words. Only unambiguous ones are listed; `א"א` has three
 * meanings and is not.
 */
export const abbreviations: readonly (readonly [short: string, long: string])[] = readTable(
  new URL('./data/abbreviations.tsv', import.meta.url),
  { short: 'text', words: 'text' },
).map(({ short, words }) => [short, words])
