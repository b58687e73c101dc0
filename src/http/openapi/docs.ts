import { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'

/** Groups of the document, in the order of the document. */
export const tags = {
  Models: 'What answers.',
  Chat: 'Questions and answers: each request is an agent turn.',
  Projects: 'What sessions and files belong to.',
  Sessions: 'Conversations that can be resumed.',
  Runs: 'Single turns: their state, their events, their end.',
  Files: 'What was uploaded, and what the agent made.',
  Sources: 'The library: search, reading, and checking of quotations.',
  Account: 'The key in use, and what was charged.',
  Service: 'Health, and this description.',
} as const

/** A JSON Schema of the 2020-12 draft, as OpenAPI 3.1 uses it. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Content that is not a JSON reply: a stream, an upload or a download. */
export type ContentDocs = {
  readonly type: string
  /** For a stream of events: the schema of one `data:` line. */
  readonly schema: z.ZodType | JsonSchema
}

/**
 * Documentation of a route, in addition to the schemas that check its input. It is not part of the route's
 * `schema`, because Fastify would serialise replies with it.
 */
export type RouteDocs = {
  readonly summary: string
  readonly description?: string
  readonly tag: keyof typeof tags
  /** The JSON body of a 200; absent where there is none. */
  readonly response?: z.ZodType
  /** Other contents of a 200. */
  readonly content?: readonly ContentDocs[]
  /** Successes beside 200, by status. */
  readonly otherReplies?: Readonly<
    Record<number, { readonly description: string; readonly content?: readonly ContentDocs[] }>
  >
  /** Replaces the body schema in the document, for bodies that are not JSON or are parsed in another way. */
  readonly body?: z.ZodType | ContentDocs
  /** A working body for readers who try the route. */
  readonly example?: JsonSchema
  /** Descriptions of path parameters by name; parameters without one are ids. */
  readonly params?: Readonly<Record<string, string>>
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Headers of a 200, in addition to those of every reply. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  /** Errors that can occur after those headers are set. */
  readonly lateErrors?: readonly ErrorCode[]
  /** Errors of this route, in addition to those that follow from its scope, path and input. */
  readonly errors?: readonly ErrorCode[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    docs?: RouteDocs
  }
}

type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Frozen<T[Key]> }
    : T

/** Return type of a function whose result the schema describes. */
export type BodyOf<Schema extends z.ZodType> = Frozen<z.output<Schema>>

/** Whole Unix seconds. */
export const instant = z.int().describe('Unix time in whole seconds')

/** Numbers of things. */
export const count = z.int().min(0)

/** Schema of a list of items that have ids. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.object({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable().describe('What `after` of the next page has to be'),
    has_more: z.boolean(),
  })
}

/** The reply to a deletion. */
export function deletedOf<Kind extends string>(object: Kind) {
  return z.object({ id: z.string(), object: z.literal(object), deleted: z.literal(true) })
}
