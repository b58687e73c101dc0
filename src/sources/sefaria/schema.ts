import { z } from 'zod'
import { type AddressType, addressType, type Offsets } from './address.ts'

/** A node of a work: a branch with nodes of its own, or a leaf that holds nested lists of segments. */
export type SchemaNode = {
  /** Empty for a default node, which adds nothing to refs. */
  readonly title: string
  readonly heTitle: string
  /** Levels of numbering; undefined when only the text itself shows it. */
  readonly depth: number | undefined
  readonly addressTypes: readonly AddressType[]
  readonly offsets: Offsets | undefined
  readonly nodes: readonly SchemaNode[]
}

/** What the schema file of a work tells beyond its structure. */
export type WorkSchema = {
  readonly root: SchemaNode
  readonly author: string
  /** Other titles of the work, former ones among them. */
  readonly formerTitles: readonly string[]
}

const word = z.string().catch('')
const words = z.array(z.string()).catch([])

const nodeShape = z.object({
  title: word,
  enTitle: word,
  heTitle: word,
  default: z.boolean().catch(false),
  depth: z.int().min(0).max(10).optional().catch(undefined),
  addressTypes: words,
  sectionNames: words,
  index_offsets_by_depth: z.record(z.string(), z.unknown()).optional().catch(undefined),
  nodes: z.array(z.unknown()).catch([]),
})

const fileShape = z.object({
  schema: z.unknown().optional(),
  authors: z.array(z.object({ en: word })).catch([]),
  titleVariants: words,
})

/** Reads a file of `schemas/`; undefined when it is none. */
export function readSchemaFile(value: unknown): WorkSchema | undefined {
  const file = fileShape.safeParse(value)
  const root = file.success ? readNode(file.data.schema) : undefined
  if (!file.success || !root) return undefined
  const { authors, titleVariants } = file.data
  return {
    root,
    author: authors
      .map((author) => author.en)
      .filter(Boolean)
      .join(', '),
    formerTitles: titleVariants.filter((title) => title !== root.title),
  }
}

/** Reads a node as schema files (`title`) and text files (`enTitle`) write it. */
export function readNode(value: unknown): SchemaNode | undefined {
  const parsed = nodeShape.safeParse(value)
  if (!parsed.success) return undefined
  const node = parsed.data
  return {
    title: node.default ? '' : (node.title || node.enTitle).trim(),
    heTitle: node.default ? '' : node.heTitle.trim(),
    depth: node.depth ?? (node.sectionNames.length > 0 ? node.sectionNames.length : undefined),
    addressTypes: addressTypes(node.addressTypes, node.sectionNames),
    offsets: node.index_offsets_by_depth,
    nodes: node.nodes.flatMap((child) => readNode(child) ?? []),
  }
}

/** Without address types, a level named Daf is the one kind that is known not to be a plain number. */
export function addressTypes(
  types: readonly string[],
  sectionNames: readonly string[],
): readonly AddressType[] {
  if (types.length > 0) return types.map(addressType)
  return sectionNames.map((name) => (name === 'Daf' ? 'Talmud' : 'Integer'))
}
