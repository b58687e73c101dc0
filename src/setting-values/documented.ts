import type { z } from 'zod'

/** What the documentation says about a setting, in addition to its schema. */
export type Documented = {
  readonly description: string
  /** The accepted values, in words. */
  readonly value: string
  /** Behaviour while it is unset. Absent if the schema has a default. */
  readonly unset?: string
}

/** A setting with what the documentation says about it. */
export function documented<Schema extends z.ZodType>(schema: Schema, about: Documented): Schema {
  return schema.meta(about)
}
