import { z } from 'zod'
import { messageOf, ServiceError } from '../../../../errors.ts'
import type { RestrictedLicense } from '../../../library/licenses.ts'
import { readNode, type SchemaNode, type WorkSchema } from './schema.ts'
import { isAllowed, licenseOf, makeVersion, type ReadVersion, versionHeader } from './version.ts'
import { placedSegments } from './walk.ts'

const word = z.string().trim().catch('')

const fileShape = versionHeader.extend({
  title: z.string().trim().min(1),
  heTitle: word,
  categories: z.array(z.string()).catch([]),
  sectionNames: z.array(z.string()).catch([]),
  schema: z.unknown().optional(),
  text: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown()), z.string()]),
})

type VersionFile = z.infer<typeof fileShape>

export type FileOutcome =
  | { readonly kind: 'read'; readonly version: ReadVersion }
  | { readonly kind: 'refused'; readonly license: string }
  | { readonly kind: 'merged' }
  | { readonly kind: 'empty' }

/**
 * Parses one file of the export: one version of a work.
 * @throws ServiceError `invalid_value` naming the fault of the file.
 */
export function readVersionFile(
  content: string,
  schema: WorkSchema | undefined,
  allowed: readonly RestrictedLicense[],
): FileOutcome {
  const file = parseFile(content)
  if (file.versionTitle === 'merged') return { kind: 'merged' }
  if (!isAllowed(file, allowed)) return { kind: 'refused', license: licenseOf(file) }
  const root = rootOf(file, schema)
  const work = {
    title: file.title,
    heTitle: file.heTitle || root.heTitle,
    author: schema?.author ?? '',
    categories: file.categories,
    composed: schema?.composed,
  }
  const version = makeVersion(work, file, placedSegments(root, file.text))
  return version ? { kind: 'read', version } : { kind: 'empty' }
}

function parseFile(content: string): VersionFile {
  let value: unknown
  try {
    value = JSON.parse(content.replace(/^\ufeff/, ''))
  } catch (error) {
    throw new ServiceError('invalid_value', `it is not JSON (${messageOf(error).slice(0, 100)})`)
  }
  const parsed = fileShape.safeParse(value)
  if (parsed.success) return parsed.data
  const field = parsed.error.issues[0]?.path.join('.') || 'top level'
  throw new ServiceError('invalid_value', `it is not a version of the export: see its field "${field}"`)
}

/** Returns the schema file's root if it fits this text. Otherwise it derives the structure from the file. */
function rootOf(file: VersionFile, schema: WorkSchema | undefined): SchemaNode {
  const own = readNode({ ...asObject(file.schema), sectionNames: file.sectionNames })
  const chosen = schema && fits(schema.root, file.text) ? schema.root : own
  return {
    nodes: [],
    others: { en: [], he: [] },
    depth: undefined,
    addressTypes: [],
    offsets: undefined,
    ...chosen,
    title: file.title,
    heTitle: file.heTitle || chosen?.heTitle || '',
  }
}

/**
 * Whether a schema fits a text. Titles of nodes change between exports, and schema files are sometimes older than the
 * texts.
 */
function fits(root: SchemaNode, text: VersionFile['text']): boolean {
  if (typeof text === 'string' || Array.isArray(text)) return root.nodes.length === 0
  const known = new Set(root.nodes.map((node) => node.title))
  return Object.keys(text).every((key) => known.has(key.trim()))
}

function asObject(value: unknown): object {
  return typeof value === 'object' && value !== null ? value : {}
}
