import { z } from 'zod'
import type { JsonSchema } from './docs.ts'

export type SchemaWriter = ReturnType<typeof createSchemaWriter>

/**
 * Converts zod schemas to JSON Schema. Schemas with an `id` in their `meta` become components, and other
 * schemas refer to them.
 * @throws Error, while writing, when two different components have one name.
 */
export function createSchemaWriter() {
  const components = new Map<string, JsonSchema>()

  function write(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // A component inside an object becomes a reference; at the root zod writes it in full.
    const { properties, $defs = {} } = z.toJSONSchema(z.object({ value: schema }), {
      io,
      target: 'draft-2020-12',
      override: ({ jsonSchema }) => tidy(jsonSchema),
    })
    for (const [name, component] of Object.entries($defs)) add(name, toComponentRefs(component) as JsonSchema)
    return toComponentRefs(properties?.['value']) as JsonSchema
  }

  function add(name: string, component: JsonSchema): void {
    const known = components.get(name)
    if (known && JSON.stringify(known) !== JSON.stringify(component)) {
      throw new Error(`the OpenAPI document has two schemas named ${name}`)
    }
    components.set(name, component)
  }

  return {
    /** A schema of what clients send. */
    input: (schema: z.ZodType) => write(schema, 'input'),
    /** A schema of what the service replies. */
    output: (schema: z.ZodType) => write(schema, 'output'),
    /** All components met so far, by name. */
    components: () => Object.fromEntries([...components].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

/** Replies may gain fields at any time. The bounds of exact integers do not help readers. */
function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function toComponentRefs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toComponentRefs)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key === '$ref' && typeof item === 'string'
        ? item.replace('#/$defs/', '#/components/schemas/')
        : toComponentRefs(item),
    ]),
  )
}
