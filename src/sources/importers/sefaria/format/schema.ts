import { z } from 'zod'
import { type AddressType, addressType, type Offsets } from '../../../library/address.ts'
import type { OtherTitle } from '../../../library/writing/headings.ts'
import type { Years } from '../../../periods/composed.ts'
import { readComposed } from './composed-date.ts'

/** A node of a work's schema: a branch with child nodes, or a leaf with nested lists of segments. */
export type SchemaNode = {
  /** Empty for a default node, which adds no part to refs. */
  readonly title: string
  readonly heTitle: string
  /** Alternative titles, by language. */
  readonly others: Readonly<Record<'en' | 'he', readonly string[]>>
  /** Levels of numbering; undefined if only the text shows them. */
  readonly depth: number | undefined
  readonly addressTypes: readonly AddressType[]
  readonly offsets: Offsets | undefined
  readonly nodes: readonly SchemaNode[]
}

/** The schema of a work. Its root has all alternative titles of the work, including former ones. */
export type WorkSchema = {
  readonly root: SchemaNode
  readonly author: string
  /** When the work was written, if the record says. */
  readonly composed: Years | undefined
}

const word = z.string().catch('')
const words = z.array(z.string()).catch([])
const noTitle = { lang: 'en' as const, text: '', primary: false }

const titles = z
  .array(
    z
      .object({ lang: z.enum(['en', 'he']), text: z.string(), primary: z.boolean().catch(false) })
      .catch(noTitle),
  )
  .catch([])

const nodeShape = z.object({
  title: word,
  titles,
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
  heTitleVariants: words,
})

/** Parses a file of `schemas/`; undefined when it is not a schema. */
export function readSchemaFile(value: unknown): WorkSchema | undefined {
  const file = fileShape.safeParse(value)
  const read = file.success ? readNode(file.data.schema) : undefined
  if (!file.success || !read) return undefined
  const { titleVariants, heTitleVariants } = file.data
  const others = {
    en: [...new Set([...read.others.en, ...titleVariants])].filter((title) => title !== read.title),
    he: [...new Set([...read.others.he, ...heTitleVariants])].filter((title) => title !== read.heTitle),
  }
  return { root: { ...read, others }, author: readAuthors(value), composed: readComposed(value) }
}

/** Authors named in the record of a work, separated by commas; empty when it names none. */
export function readAuthors(value: unknown): string {
  const file = fileShape.safeParse(value)
  const authors = file.success ? file.data.authors : []
  return authors
    .map((author) => author.en)
    .filter(Boolean)
    .join(', ')
}

type Titles = z.infer<typeof titles>

function primary(of: Titles, lang: 'en' | 'he'): string {
  return of.find((title) => title.lang === lang && title.primary)?.text ?? ''
}

function otherTexts(of: Titles, lang: 'en' | 'he', own: string): readonly string[] {
  const texts = of.filter((title) => title.lang === lang).map((title) => title.text.trim())
  return [...new Set(texts)].filter((text) => text !== '' && text !== own)
}

/** Maximum number of titles of one work. Real works have some hundreds. */
const maxTitles = 5_000

/**
 * Former and alternative titles of a work and its headings, in the form that storing needs. Empty without a schema.
 */
export function titlesOf(
  schema: WorkSchema | undefined,
  title: string,
): { readonly formerTitles: readonly string[]; readonly otherTitles?: readonly OtherTitle[] } {
  if (!schema) return { formerTitles: [] }
  const formerTitles = schema.root.others.en.filter((other) => other !== title)
  return { formerTitles, otherTitles: otherTitles(schema.root, title) }
}

/**
 * Alternative titles of a work and its headings. Each replaces one title on the path of a heading. The title of the
 * work itself is not replaced here, because `refs/title-lookup` accepts any of its titles.
 * @param title the title of the work in its refs.
 */
function otherTitles(root: SchemaNode, title: string): readonly OtherTitle[] {
  const own = [root.title, root.heTitle, ...root.others.en, ...root.others.he]
  const ofWork = own
    .filter((other) => other !== '' && other !== title)
    .map((other) => ({ heading: title, title: other }))
  const ofHeadings = root.nodes.flatMap((node) => titlesWithin(node, [{ ...root, title }]))
  return [...ofWork, ...ofHeadings].slice(0, maxTitles)
}

function titlesWithin(node: SchemaNode, above: readonly SchemaNode[]): readonly OtherTitle[] {
  const path = node.title === '' ? above : [...above, node]
  if (node.nodes.length > 0) return node.nodes.flatMap((child) => titlesWithin(child, path))
  const heading = path.map((of) => of.title).join(', ')
  const hebrew = path.every((of) => of.heTitle !== '') ? path.map((of) => of.heTitle) : undefined
  const replaced = path
    .slice(1)
    .flatMap((of, i) => [
      ...of.others.en.map((other) => path.map((on, at) => (at === i + 1 ? other : on.title))),
      ...(hebrew ? of.others.he.map((other) => hebrew.map((on, at) => (at === i + 1 ? other : on))) : []),
    ])
  return [...(hebrew ? [hebrew] : []), ...replaced].map((parts) => ({ heading, title: parts.join(', ') }))
}

/** Parses a node. Schema files call its title `title`, text files call it `enTitle`. */
export function readNode(value: unknown): SchemaNode | undefined {
  const parsed = nodeShape.safeParse(value)
  if (!parsed.success) return undefined
  const node = parsed.data
  const title = (node.title || node.enTitle || primary(node.titles, 'en')).trim()
  const heTitle = (node.heTitle || primary(node.titles, 'he')).trim()
  return {
    title: node.default ? '' : title,
    heTitle: node.default ? '' : heTitle,
    others: { en: otherTexts(node.titles, 'en', title), he: otherTexts(node.titles, 'he', heTitle) },
    depth: node.depth ?? (node.sectionNames.length > 0 ? node.sectionNames.length : undefined),
    addressTypes: addressTypes(node.addressTypes, node.sectionNames),
    offsets: node.index_offsets_by_depth,
    nodes: node.nodes.flatMap((child) => readNode(child) ?? []),
  }
}

/** Address types of the levels of a node. If the schema has none, only a level named Daf is not a plain number. */
export function addressTypes(
  types: readonly string[],
  sectionNames: readonly string[],
): readonly AddressType[] {
  if (types.length > 0) return types.map(addressType)
  return sectionNames.map((name) => (name === 'Daf' ? 'Talmud' : 'Integer'))
}
