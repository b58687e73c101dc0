import { z } from 'zod'
import { isRecord } from '../agent/json.ts'
import type { ToolSpec } from '../agent/provider.ts'
import { storable } from '../agent/storable-text.ts'
import type { ServerEntry } from './servers-file.ts'

/** A tool of an outside server, as the server lists it. */
export type ListedTool = {
  readonly name: string
  readonly description?: string | undefined
  readonly inputSchema?: unknown
}

export type OfferedTool = {
  /** As the model sees it. Its name has the prefix of the server. */
  readonly spec: ToolSpec
  /** As the server knows it. */
  readonly listed: ListedTool
}

/** Maximum tools of a server. Each is read by the model in every call. */
const maxTools = 64
/** Maximum characters of a description and of a JSON Schema, and levels of the schema. */
const maxDescription = 2_000
const maxSchema = 16_000
const maxDepth = 20
/** Names of tools that the APIs of models accept. */
const usableName = /^[A-Za-z0-9_-]{1,64}$/

const listedTool = z.looseObject({
  name: z.string(),
  description: z.string().optional().catch(undefined),
  // Null, or no schema at all: a tool without arguments.
  inputSchema: z
    .unknown()
    .optional()
    .transform((schema) => schema ?? { type: 'object' }),
})

/** Lenient, so that one invalid tool does not hide the others: what is no tool is null. */
export const toolPage = z.object({
  tools: z.array(listedTool.nullable().catch(null)).catch([]),
  nextCursor: z.string().min(1).optional().catch(undefined),
})

/**
 * The tools that turns get: those of the allow-list whose name and JSON Schema can be given to a model.
 * @param warn called with each reason for which a tool is left out.
 */
export function offeredTools(
  { name: server, tools: allowed }: ServerEntry,
  listed: readonly ListedTool[],
  warn: (reason: string) => void,
): readonly OfferedTool[] {
  const wanted = allowed === '*' ? listed : listed.filter(({ name }) => allowed.includes(name))
  if (allowed !== '*') {
    const missing = allowed.find((name) => !listed.some((tool) => tool.name === name))
    if (missing !== undefined) warn(`the server has no tool "${missing}"`)
  }
  const offered = new Map<string, OfferedTool>()
  for (const tool of wanted) {
    const name = `${server}__${tool.name}`
    const fault = toolFault(name, tool) ?? (offered.has(name) ? 'is listed twice' : undefined)
    if (fault) warn(`the tool "${tool.name.slice(0, 100)}" is left out: it ${fault}`)
    else if (offered.size < maxTools) offered.set(name, { spec: specOf(server, name, tool), listed: tool })
    else warn(`only the first ${maxTools} tools are used: name those you need in "tools"`)
  }
  return [...offered.values()]
}

function toolFault(name: string, { inputSchema }: ListedTool): string | undefined {
  if (!usableName.test(name))
    return 'has a name that is not letters, digits, _ and -, or with its prefix more than 64 characters'
  if (!isRecord(inputSchema) || (inputSchema['type'] ?? 'object') !== 'object')
    return 'has no JSON Schema of an object'
  const { properties, required } = inputSchema
  if (properties !== undefined && !(isRecord(properties) && Object.values(properties).every(isSchema)))
    return 'has properties that are no JSON Schemas'
  if (required !== undefined && !(Array.isArray(required) && required.every((n) => typeof n === 'string')))
    return 'has a list of required properties that is no list of names'
  if (!isShallow(inputSchema, maxDepth)) return `has a JSON Schema of more than ${maxDepth} levels`
  const text = JSON.stringify(inputSchema)
  if (text.length > maxSchema) return `has a JSON Schema of more than ${maxSchema} characters`
  // A model's API would refuse the request, or fetch the address.
  return /"\$ref":"[^#]/.test(text) ? 'has a JSON Schema that refers to another document' : undefined
}

function specOf(server: string, name: string, { description = '', inputSchema }: ListedTool): ToolSpec {
  const { $schema: _, ...schema } = inputSchema as Record<string, unknown>
  const about = storable(description.slice(0, maxDescription))
  return {
    name,
    description: `Tool of the outside server "${server}". ${about}`.trim(),
    parameters: { type: 'object', properties: {}, ...schema },
  }
}

const isSchema = (value: unknown): boolean => isRecord(value) || typeof value === 'boolean'

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((item) => isShallow(item, levels - 1))
}
