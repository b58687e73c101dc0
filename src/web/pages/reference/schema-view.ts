import { type Html, html, nothing } from '../../components/html.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { refName, type Schema, variantsOf } from './api-description.ts'

/** What stands before a list of members: a type, what is required, a description. */
export type Member = {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
  readonly description?: string | undefined
}

/**
 * The members of an object, each with its type, its limits and its own members.
 * @param path names of the object and of those around it; screen readers list what opens without its surroundings.
 */
export function schemaMembers(
  t: Texts,
  { properties = {}, required = [] }: Schema,
  path: readonly string[] = [],
): Html {
  const members = Object.entries(properties).map(([name, schema]) => ({
    ...{ name, schema, description: schema.description },
    required: required.includes(name),
  }))
  return memberList(t, members, path)
}

export function memberList(t: Texts, members: readonly Member[], path: readonly string[] = []): Html {
  return html`<ul class="members">${members.map((member) => memberItem(t, member, path))}</ul>`
}

function memberItem(
  t: Texts,
  { name, schema, required, description }: Member,
  path: readonly string[],
): Html {
  const limits = limitsOf(t, schema)
  return html`<li><code class="member">${name}</code> <span class="type">${typeOf(schema)}</span>
${required ? html`<span class="badge required">${label(t, t.reference.required)}</span>` : nothing}
${limits === '' ? nothing : html`<small class="faint">${label(t, limits)}</small>`}
${description === undefined ? nothing : prose(description)}${nestedMembers(t, schema, [...path, name])}</li>`
}

/** The members of the objects within a schema; one list per kind of object. */
export function nestedMembers(t: Texts, schema: Schema, path: readonly string[] = []): Html {
  const objects = objectsIn(schema)
  return html`${objects.map((one, at) => {
    const place = objects.length > 1 ? [...path, String(at + 1)] : path
    const name = html`${label(t, t.reference.membersOf(kindOf(one)))}<span class="sr">: ${place.join('.')}</span>`
    return html`<details><summary>${name}</summary>
${schemaMembers(t, one, place)}</details>`
  })}`
}

function objectsIn(schema: Schema): readonly Schema[] {
  return variantsOf(schema).flatMap((one) =>
    one.items ? objectsIn(one.items) : Object.keys(one.properties ?? {}).length > 0 ? [one] : [],
  )
}

/** What tells an object from its alternatives: its constant `type`, `role` or `object`. */
function kindOf({ properties = {} }: Schema): string | undefined {
  const kind = [properties['type'], properties['role'], properties['object']].find((one) => one?.const)
  return kind && String(kind.const)
}

/** A type in the notation of TypeScript, with links to the objects that have a name. */
export function typeOf(schema: Schema): Html {
  const name = refName(schema)
  if (name !== undefined) return html`<a href="/docs#object-${name}">${name}</a>`
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return alternatives(choices.flatMap((one) => (one.anyOf ?? one.oneOf) || [one]).map(typeOf))
  if (schema.const !== undefined) return html`${JSON.stringify(schema.const)}`
  if (schema.enum) return alternatives(schema.enum.map((one) => html`${JSON.stringify(one)}`))
  const types = [schema.type ?? 'any'].flat()
  if (types.includes('array')) return html`${typeOf(schema.items ?? {})}[]`
  return alternatives(types.map((type) => html`${type}`))
}

function alternatives(types: readonly Html[]): Html {
  const different = [...new Set(types.map(String))].map((type) => types.find((one) => String(one) === type))
  return html`${different.map((type, at) => (at === 0 ? type : html` | ${type}`))}`
}

/** Lengths, ranges and the default; a schema with alternatives has those of each, which are left out. */
function limitsOf({ reference: { limits } }: Texts, schema: Schema): string {
  const variants = variantsOf(schema)
  const [one = {}] = variants
  if (variants.length > 1) return ''
  return [
    between(one.minLength, one.maxLength, limits.length),
    between(one.minimum, one.maximum, limits.range),
    between(one.minItems, one.maxItems, limits.items),
    ...(one.default === undefined ? [] : [limits.default(JSON.stringify(one.default))]),
  ]
    .filter((text) => text !== '')
    .join(', ')
}

function between(min: number | undefined, max: number | undefined, say: (range: string) => string): string {
  // The limits of an integer are those of the number format, and say nothing of the API.
  const upper = max !== undefined && max < 2 ** 31 - 1 ? max.toLocaleString('en') : undefined
  if (upper !== undefined) return say(min === undefined ? `≤ ${upper}` : `${min}–${upper}`)
  return min === undefined || min === 0 ? '' : say(`≥ ${min}`)
}

/** A description of the API: English, whatever the language of the page. */
export function prose(text: string): Html {
  return html`<div class="prose">${showMarkdown(text.replace(/(?<!\n)\n(?!\n)/g, ' '))}</div>`
}

/** A text of the page within the English description. */
export function label({ language, direction }: Texts, text: unknown): Html {
  return language === 'en'
    ? html`${text}`
    : html`<span class="label" lang="${language}" dir="${direction}">${text}</span>`
}
