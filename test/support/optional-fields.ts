import { type Json, referred } from './openapi-reader.ts'

type Schema = Json & {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
}

type Field = { readonly field: string; readonly mayBeNull: boolean }

/** The fields below a schema that may be absent, at any depth, and whether an explicit null is allowed there too. */
export function optionalFields(
  document: unknown,
  schema: Schema | undefined,
  place: string,
  above: readonly Schema[] = [],
): readonly Field[] {
  if (schema === undefined || above.includes(schema)) return []
  const within = (inner: Schema | undefined, at = place) =>
    optionalFields(document, inner, at, [...above, schema])
  const forms = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [
    ...(schema.$ref === undefined ? [] : within(target(document, schema.$ref))),
    ...forms.flatMap((form) => within(form)),
    ...within(schema.items, `${place}[]`),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
      const at = `${place}.${name}`
      const isRequired = schema.required?.includes(name) ?? false
      const own = isRequired ? [] : [{ field: at, mayBeNull: mayBeNull(document, field) }]
      return [...own, ...within(field, at)]
    }),
  ]
}

function mayBeNull(document: unknown, schema: Schema): boolean {
  if (schema.$ref !== undefined) return mayBeNull(document, target(document, schema.$ref))
  const forms = schema.anyOf ?? schema.oneOf
  if (forms) return forms.some((form) => mayBeNull(document, form))
  if (schema.enum) return schema.enum.includes(null)
  // A schema without a type describes any value.
  return schema.type === undefined || [schema.type].flat().includes('null')
}

const target = (document: unknown, ref: string): Schema => referred(document as object, ref)
