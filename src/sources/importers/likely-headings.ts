import { numberedHeading } from '../refs/grammar/numbered-headings.ts'

/** A line that looks like a heading and is a paragraph, with its number in the file. */
export type LikelyHeading = { readonly line: number; readonly text: string }

const longest = 80
const maxWords = 10

/** Matches a heading without the space after its signs: `#First gate`. */
const withoutSpace = /^ {0,3}#{1,6}[^#\s]/
/** Matches a line that has nothing but bold words, or signs of other formats: `**Chapter 2**`, `== Chapter 2 ==`. */
const marked = /^\s*(?:\*\*[^*]+\*\*|__[^_]+__|={1,6} ?[^=]+ ?={1,6}|<h[1-6][^>]*>.*)\s*$/i

/**
 * Finds lines that are probably headings in another form than that of Markdown. Headings are also paragraphs of a few
 * words that begin with a number and its unit, such as `Chapter 2` or `סימן ג`.
 * @param before number of lines before the text.
 */
export function likelyHeadings(body: string, before: number): readonly LikelyHeading[] {
  const lines = body.split('\n')
  return lines.flatMap((line, i) => {
    const text = line.trim()
    if (text === '' || text.length > longest) return []
    const isAlone = (lines[i - 1] ?? '').trim() === '' && (lines[i + 1] ?? '').trim() === ''
    const isLikely = withoutSpace.test(line) || marked.test(line) || (isAlone && isNumbered(text))
    return isLikely ? [{ line: before + i + 1, text }] : []
  })
}

function isNumbered(text: string): boolean {
  if (/^(?:#|>|[-+*] |\[)/.test(text) || /[.,;:!?׃]$/.test(text) || text.split(/\s+/).length > maxWords)
    return false
  return numberedHeading(text).parts.some(({ unit }) => unit !== undefined && unit !== 'portion')
}
