import type { SchemaNode } from '../importers/sefaria/format/schema.ts'
import { compareOrders } from '../importers/sefaria/format/version.ts'
import type { PassageRef } from '../index/passage-ref.ts'
import { headingOf } from '../refs/grammar/refs.ts'

/** The headings of a work in the order of its schema, as they begin refs. */
export function headingsInOrder(root: SchemaNode): readonly string[] {
  const under = (node: SchemaNode, title: string): readonly string[] =>
    node.nodes.length === 0
      ? [title]
      : node.nodes.flatMap((child) => under(child, [title, child.title].filter(Boolean).join(', ')))
  return under(root, root.title)
}

/**
 * Finds where a new section stands among the places of its work: after all places with smaller numbers under the same
 * heading, and after the headings before it. Without a known order of headings it stands at the end.
 * @param known the places of the work in reading order.
 * @returns an index into `known`.
 */
export function positionOf(known: readonly PassageRef[], first: string, headings: readonly string[]): number {
  return known.findLastIndex(({ ref }) => isBefore(ref, first, headings)) + 1
}

function isBefore(ref: string, first: string, headings: readonly string[]): boolean {
  const [own, other] = [headingOf(ref), headingOf(first)]
  if (own === other) return compareOrders(numbersAfter(ref, own), numbersAfter(first, other)) < 0
  const [a, b] = [headings.indexOf(own), headings.indexOf(other)]
  return a < 0 || b < 0 || a < b
}

/** Columns of a leaf of the Talmud or a folio come between its number and the next. */
const sides = 5

function numbersAfter(ref: string, heading: string): readonly number[] {
  return [...ref.slice(heading.length).matchAll(/(\d+)([a-d]?)/g)].map(
    ([, number, side = '']) => Number(number) * sides + ' abcd'.indexOf(side || ' '),
  )
}
