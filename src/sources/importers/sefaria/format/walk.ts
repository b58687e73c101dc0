import type { PassageRef } from '../../../index/passage-ref.ts'
import { address, hebrewAddress, numberAt } from '../../../library/address.ts'
import type { SchemaNode } from './schema.ts'

/** A segment of one version with its place. */
export type PlacedSegment = {
  readonly place: PassageRef
  readonly html: string
  /** Sort key for reading order across versions: numbers of nodes, then of sections. */
  readonly order: readonly number[]
}

const unknownNode: SchemaNode = {
  title: '',
  heTitle: '',
  others: { en: [], he: [] },
  depth: undefined,
  addressTypes: [],
  offsets: undefined,
  nodes: [],
}

type Position = { readonly title: string; readonly heTitle: string; readonly order: readonly number[] }

/**
 * Gives every segment of a version its ref. Empty segments are skipped without changing the numbering, because
 * partial editions are padded with them.
 */
export function placedSegments(root: SchemaNode, text: unknown): readonly PlacedSegment[] {
  return walkNode(root, text, { title: root.title, heTitle: root.heTitle, order: [] })
}

function walkNode(node: SchemaNode, text: unknown, at: Position): readonly PlacedSegment[] {
  if (isRecord(text)) {
    return childrenOf(node, text).flatMap(([child, value], index) =>
      walkNode(child, value, {
        title: [at.title, child.title].filter(Boolean).join(', '),
        heTitle: hebrewTitle(at.heTitle, child),
        order: [...at.order, index],
      }),
    )
  }
  const depth = Math.max(node.depth ?? 0, 0) || depthOf(text)
  return leaves(text, [], depth).map(({ path, html }) => ({
    place: placeAt(node, at, path),
    html,
    order: [...at.order, ...path],
  }))
}

/**
 * The node's children that the text has, in the order of the schema. Children that the schema does not have come
 * last.
 */
function childrenOf(
  node: SchemaNode,
  text: Readonly<Record<string, unknown>>,
): readonly (readonly [SchemaNode, unknown])[] {
  const keys = new Map(Object.keys(text).map((key) => [key.trim(), key]))
  const known = node.nodes.map((child): readonly [SchemaNode, unknown] => {
    const key = keys.get(child.title)
    keys.delete(child.title)
    return [child, key === undefined ? undefined : text[key]]
  })
  const others = [...keys].map(([title, key]): readonly [SchemaNode, unknown] => {
    const title_ = title === 'default' ? '' : title
    return [{ ...unknownNode, title: title_ }, text[key]]
  })
  return [...known, ...others]
}

/** Empty when a title on the path has no Hebrew form, because a partial ref would be wrong. */
function hebrewTitle(above: string, child: SchemaNode): string {
  if (child.title === '' || above === '') return above
  return child.heTitle === '' ? '' : `${above}, ${child.heTitle}`
}

type Leaf = { readonly path: readonly number[]; readonly html: string }

/** Returns the non-empty segments. A text above the lowest level counts as the first entry of the level below. */
function leaves(text: unknown, path: readonly number[], depth: number): Leaf[] {
  if (typeof text === 'string') {
    if (text.trim() === '') return []
    const missing = Math.max(0, depth - path.length)
    return [{ path: [...path, ...Array.from({ length: missing }, () => 0)], html: text }]
  }
  if (!Array.isArray(text)) return []
  return text.flatMap((entry, index) => leaves(entry, [...path, index], depth))
}

function depthOf(text: unknown): number {
  if (!Array.isArray(text)) return 0
  // Not with spread arguments: a section may have more entries than a call accepts.
  return text.reduce((deepest: number, entry) => {
    if (typeof entry === 'string' && entry.trim() !== '') return Math.max(deepest, 1)
    // Computed once per entry: a second call would double the work on every level.
    const below = depthOf(entry)
    return below > 0 ? Math.max(deepest, below + 1) : deepest
  }, 0)
}

function placeAt(node: SchemaNode, at: Position, path: readonly number[]): PassageRef {
  const numbers = path.map((_, level) => numberAt(node.offsets, path.slice(0, level + 1)))
  const typeAt = (level: number) => node.addressTypes[level] ?? 'Integer'
  const parts = numbers.map((n, level) => address(typeAt(level), n))
  const hebrew = numbers.map((n, level) => hebrewAddress(typeAt(level), n))
  return {
    ref: numbered(at.title, parts),
    heRef: at.heTitle === '' ? '' : numbered(at.heTitle, hebrew),
    sectionRef: path.length === 0 ? parentTitle(at.title) : numbered(at.title, parts.slice(0, -1)),
  }
}

function numbered(title: string, parts: readonly string[]): string {
  return parts.length === 0 ? title : `${title} ${parts.join(':')}`
}

function parentTitle(title: string): string {
  const comma = title.lastIndexOf(', ')
  return comma < 0 ? title : title.slice(0, comma)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
