import { withoutPrefixes } from '../../text/hebrew.ts'
import { lazyInSteps } from '../../text/lazy.ts'
import { tokenize } from '../../text/tokens.ts'
import { type NameGroup, namesAt } from '../lookup.ts'
import { bookNames } from '../titles/works-table.ts'

/** Minimum letters of an acronym that is compared with titles. Two letters fit too many. */
const shortest = 3

/** Maximum letters that an acronym takes from one word. */
const longestPart = 4

type Title = { readonly words: readonly string[]; readonly group: NameGroup }

/** The Hebrew titles of several words. Books are shortened freely; other acronyms are in the list of abbreviations. */
const titles = lazyInSteps(function* (): Generator<undefined, readonly Title[]> {
  const found: Title[] = []
  for (const name of bookNames.flat()) {
    found.push(...titlesIn(name))
    yield
  }
  return found
})

/** Makes the table of titles in advance. */
export const loadAcronyms = titles.load

function titlesIn(name: string): readonly Title[] {
  const tokens = tokenize(name)
  if (tokens.length < 2 || tokens.some(({ script }) => script !== 'he')) return []
  const words = tokens.map(({ term }) => term)
  return namesAt(tokens, 0)
    .filter(({ length }) => length === tokens.length)
    .map(({ group }) => ({ words, group }))
}

/**
 * The book that an acronym shortens, such as `קד"ל` for `קדושת לוי`. It takes one or more letters
 * from the beginning of each word of the title. Empty if no title or more than one fits.
 * @param letters in medial letters, without gershayim; the first ones may be a prefix.
 */
export function titlesOfAcronym(letters: string): readonly NameGroup[] {
  for (const base of withoutPrefixes(letters, shortest)) {
    const fitting = base.length < shortest ? [] : titles().filter(({ words }) => fits(base, words))
    const groups = [...new Set(fitting.map(({ group }) => group))]
    if (groups.length > 0) return groups.length === 1 ? groups : []
  }
  return []
}

/** Whether the letters are beginnings of the words, in order. The article of a later word may be missing. */
function fits(letters: string, [word, ...others]: readonly string[], isFirst = true): boolean {
  if (word === undefined) return letters === ''
  const forms = !isFirst && word.startsWith('ה') ? [word, word.slice(1)] : [word]
  return forms.some((form) => {
    for (let length = 1; length <= Math.min(longestPart, form.length); length += 1) {
      if (!letters.startsWith(form.slice(0, length))) return false
      if (fits(letters.slice(length), others, false)) return true
    }
    return false
  })
}
