import type { PassageRef } from '../index/passage-ref.ts'
import { hebrewNumeral } from '../text/hebrew-numbers.ts'
import { markdownBlocks } from './markdown/blocks.ts'
import { splitNotes, takeNotes } from './markdown/notes.ts'
import { cutAlike, type Division } from './split-passages.ts'

/** A paragraph with its place below the headings. */
export type Paragraph = {
  readonly place: PassageRef
  readonly text: string
  readonly notes: readonly string[]
}

/** A heading (level 1 and more) or a paragraph (level 0) with its footnotes. */
export type NotedBlock = { readonly level: number; readonly text: string; readonly notes: readonly string[] }

/** The headings and paragraphs of a Markdown text, each with the footnotes that it refers to. */
export function* notedBlocks(text: string): Generator<NotedBlock> {
  const { body, notes } = splitNotes(text)
  const plainNotes = new Map([...notes].map(([label, note]) => [label, plain(note)] as const))
  for (const { level, text: written } of markdownBlocks(body))
    yield { level, ...takeNotes(written, plainNotes) }
}

/**
 * Returns the paragraphs, numbered below their headings. A heading equal to the title adds no part. The footnotes of a
 * heading go to the paragraph below it.
 */
export function paragraphsOf(
  title: string,
  heTitle: string,
  blocks: Iterable<NotedBlock>,
): readonly Paragraph[] {
  const paragraphs: Paragraph[] = []
  const numbers = new Map<string, number>()
  let headings: readonly string[] = []
  let ofHeadings: readonly string[] = []
  for (const taken of blocks) {
    if (taken.level > 0) {
      headings = [...headings.slice(0, taken.level - 1), ...padding(headings, taken.level), taken.text]
      ofHeadings = [...ofHeadings, ...taken.notes]
      continue
    }
    if (taken.text === '') continue
    const nodes = headings.filter((heading) => heading !== '' && heading !== title && heading !== heTitle)
    const sectionRef = [title, ...nodes].join(', ')
    const number = (numbers.get(sectionRef) ?? 0) + 1
    numbers.set(sectionRef, number)
    const heRef = heTitle === '' ? '' : `${[heTitle, ...nodes].join(', ')} ${hebrewNumeral(number)}`
    const place = { ref: `${sectionRef} ${number}`, heRef, sectionRef }
    paragraphs.push({ place, text: taken.text, notes: [...ofHeadings, ...taken.notes] })
    ofHeadings = []
  }
  return paragraphs
}

function plain(note: string): string {
  return markdownBlocks(note)
    .map(({ text }) => text)
    .join(' ')
}

/** Fills skipped heading levels with empty parts. */
function padding(headings: readonly string[], level: number): readonly string[] {
  return Array.from({ length: Math.max(0, level - 1 - headings.length) }, () => '')
}

/**
 * Cuts long paragraphs into passages. A paragraph that another edition has gets as many pieces as there.
 * @param division the number of pieces of stored paragraphs, by ref; 0 for one that is whole.
 */
export function cutParagraph(paragraph: Paragraph, division: Division): readonly Paragraph[] {
  const { place, text, notes } = paragraph
  const known = division.get(place.ref)
  if (known === 0) return [paragraph]
  const { places, pieces } = cutAlike(place, [text], known, () => place.sectionRef)
  const last = places.length - 1
  // The position of a note within the text is unknown, so notes stand after the last piece.
  return places.map((one, i) => ({ place: one, text: pieces[0]?.[i] ?? '', notes: i === last ? notes : [] }))
}
