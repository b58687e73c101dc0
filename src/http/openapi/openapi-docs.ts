import { z } from 'zod'
import type { ErrorCode } from '../../errors.ts'

/** Groups of the document, in its order. */
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

/** A content that is no JSON reply: a stream, an upload, a download. */
export type ContentDocs = {
  readonly type: string
  /** For a stream of events that of one `data:` line. */
  readonly schema: z.ZodType | JsonSchema
}

/**
 * What a route says about itself beside the schemas that check its input. Not in the route's own `schema`: what stands
 * there Fastify would use to serialise replies.
 */
export type RouteDocs = {
  readonly summary: string
  readonly description?: string
  readonly tag: keyof typeof tags
  /** The JSON body of a 200; absent where there is none. */
  readonly response?: z.ZodType
  /** What else a 200 can be. */
  readonly content?: readonly ContentDocs[]
  /** Successes beside 200, by status. */
  readonly otherReplies?: Readonly<
    Record<number, { readonly description: string; readonly content?: readonly ContentDocs[] }>
  >
  /** Stands for the body schema: where some of the body is read in another way, or it is no JSON. */
  readonly body?: z.ZodType | ContentDocs
  /** A body that works as it stands, for readers who try the route. */
  readonly example?: JsonSchema
  /** What path parameters are, by name; those not named here are ids. */
  readonly params?: Readonly<Record<string, string>>
  readonly requestHeaders?: Readonly<Record<string, string>>
  /** Headers of a 200 beside those of every reply. */
  readonly replyHeaders?: Readonly<Record<string, string>>
  /** Errors that can come when those headers have been set already. */
  readonly lateErrors?: readonly ErrorCode[]
  /** Errors of this route beside those that its scope, path and input bring with them. */
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

/** What a function has to return whose result the schema describes. */
export type BodyOf<Schema extends z.ZodType> = Frozen<z.output<Schema>>

/** Whole Unix seconds. */
export const instant = z.int().describe('Unix time in whole seconds')

/** Numbers of things. */
export const count = z.int().min(0)

/** The reply of a list of items that have ids. */
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
