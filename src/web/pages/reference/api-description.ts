/** The parts of the OpenAPI document that the page shows, as `http/openapi` writes them. */

/** A JSON Schema; keywords that the page does not show are left out. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly contentMediaType?: string
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: Schema
}

export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: object }>>

type Reply = {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Content
  readonly 'x-codes'?: readonly string[]
}

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly 'x-scope': string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, Reply>>
}

export type ApiDocument = {
  readonly info: { readonly description: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Reply>>
  }
}

/** An operation with its address. */
export type Call = Operation & { readonly method: string; readonly path: string }

/** The operations of a group, in the order of the document. */
export function callsOf({ paths }: ApiDocument, tag: string): readonly Call[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { tags }]) => tags.includes(tag))
      .map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  )
}

/** The name of the component that a schema or reply refers to. */
export function refName({ $ref }: { readonly $ref?: string }): string | undefined {
  return $ref?.split('/').at(-1)
}

/** The schema itself in place of a reference to it. */
export function resolved({ components }: ApiDocument, schema: Schema): Schema {
  const name = refName(schema)
  return name === undefined ? schema : (components.schemas[name] ?? {})
}

/** The alternatives of a schema, at any depth, without null; the schema alone if it has none. */
export function variantsOf(schema: Schema): readonly Schema[] {
  const choices = schema.anyOf ?? schema.oneOf
  return choices ? choices.flatMap(variantsOf) : schema.type === 'null' ? [] : [schema]
}

/** The media type of a request's body. */
export function bodyType({ requestBody }: Operation): string | undefined {
  return Object.keys(requestBody?.content ?? {})[0]
}

/** Whether a reply can be a stream of events. */
export function canStream({ responses }: Operation): boolean {
  return responses['200']?.content?.['text/event-stream'] !== undefined
}
