import {
  type NumberedPart,
  numberedAt,
  partAt,
  portionAt,
  type ReadPart,
  readName,
} from './numbered-parts.ts'
import type { Words } from './ref-items.ts'
import { bare, keysOfRole } from './text-words.ts'

/** A heading as a list of its numbered parts, and all its words. */
export type NumberedHeading = { readonly parts: readonly NumberedPart[]; readonly words: ReadonlySet<string> }

/** Words that name a book of parts, whatever follows: `ספר בראשית` is no weekly portion. */
const bookWord = /^(?:ספר|חומש|sefer|chumash|book of|the book of)\s/iu

/** The numbered parts of a heading: `Part I: Youth, Chapter 3 (1840)` is part 1, chapter 3. */
export function numberedHeading(heading: string): NumberedHeading {
  const names = heading.split(/,\s+/)
  const read = names.map((name, i) => partsOfName(name, i > 0))
  const parts = read.filter((of, i) => !isBookOfPortions(of, read[i + 1])).flat()
  return { parts, words: new Set(readName(heading).words.map(({ key }) => key)) }
}

/** `Genesis, Noach` and `בראשית, נח`: the first name is that of the book. */
function isBookOfPortions(own: readonly NumberedPart[], next: readonly NumberedPart[] | undefined): boolean {
  return own[0]?.unit === 'portion' && next?.[0]?.unit === 'portion'
}

/** @param mayBeBare whether a number alone is a part; the title of a work may end with one. */
function partsOfName(name: string, mayBeBare: boolean): readonly NumberedPart[] {
  if (bookWord.test(name)) return []
  const read = readName(name)
  const portions = portionsIn(read)
  if (portions.length > 0) return portions
  const parts: NumberedPart[] = []
  let at = 0
  // Behind the first number only one with a known unit belongs to the part, because dates and other numbers may follow.
  for (;;) {
    const found = partAt(read, at, at === 0)
    const isPart =
      found && (found.part.unit === undefined ? mayBeBare && read.words.length === found.end : true)
    if (!found || !isPart) return parts
    parts.push(found.part)
    at = found.end
  }
}

/** The weekly portions of a name: after the word for one anywhere, otherwise only if the name has nothing else. */
function portionsIn(read: Words): readonly NumberedPart[] {
  const { words } = read
  for (const at of words.keys()) {
    const first = portionAt(read, at)
    if (!first) continue
    const found = [first]
    for (let next = portionAt(read, first.end); next; next = portionAt(read, next.end)) found.push(next)
    const isMarked = /^(?:פרשת|לסדר|para?shas?t?)$/u.test(words[at]?.key ?? '')
    if (isMarked || (at === 0 && found.at(-1)?.end === words.length)) return found.map(({ part }) => part)
  }
  return []
}

/** Words between a title and its parts that say nothing. */
const skipped = keysOfRole('says-nothing')

/** The parts that a ref names behind its title, and its other words, which the heading must have too. */
export type NamedParts = { readonly parts: readonly NumberedPart[]; readonly words: readonly string[] }

/**
 * Reads the words of a ref behind its title. A word such as נח is a weekly portion or a number, so there may be two
 * readings. Empty if they name no part.
 */
export function namedParts(rest: string): readonly NamedParts[] {
  const read = readName(rest)
  const [first, second] = [namedBy(read, partAt), namedBy(read, numberedAt)]
  const isSame = JSON.stringify(first) === JSON.stringify(second)
  const readings = [first, ...(isSame ? [] : [second])].filter(({ parts }) => parts.length > 0)
  return [...readings, ...withSide(read, second)]
}

/** Two bare numbers at the end may be a leaf and its side: `קכז ב`. */
function withSide({ words }: Words, { parts, words: others }: NamedParts): readonly NamedParts[] {
  const [leaf, side] = parts.slice(-2)
  const isSide = /^[אב]'?$/.test(bare(words.at(-1))) && side?.unit === undefined
  if (!leaf || !side || !isSide || !/^\d+$/.test(leaf.name)) return []
  const whole = { ...leaf, name: leaf.name + (side?.name === '1' ? 'a' : 'b') }
  return [{ parts: [...parts.slice(0, -2), whole], words: others }]
}

function namedBy(read: Words, readPart: ReadPart): NamedParts {
  const parts: NumberedPart[] = []
  const others: string[] = []
  let at = 0
  while (at < read.words.length) {
    const found = readPart(read, at, true)
    const key = read.words[at]?.key ?? ''
    if (found) parts.push(found.part)
    else if (!skipped.has(key)) others.push(key)
    at = found?.end ?? at + 1
  }
  return { parts, words: others }
}
