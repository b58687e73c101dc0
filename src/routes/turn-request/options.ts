import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import type { KeyDefaults } from '../../accounts/key-defaults.ts'
import { invalidValue, wrongField } from '../../errors.ts'
import { atMost, bounds } from '../../http/limits/bounds.ts'
import { checkPart, idText } from '../../http/openapi/zod.ts'
import { type ToolGroup, toolGroups } from '../../turns/run/run-request.ts'

/** Accepts strings as booleans, because some channels carry strings only. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: 'must be true or false',
})

/** Not `max`, whose error would speak of a text where a text was sent. */
const groupList = z
  .array(z.enum(toolGroups))
  .refine((groups) => groups.length <= toolGroups.length)
  .meta({ maxItems: toolGroups.length })

/** A list, or names separated by commas; `none` is the empty list. */
const toolList = z.union(
  [
    groupList,
    z
      .string()
      .max(bounds.id.max)
      .transform((text) => (text.trim() === 'none' ? [] : text.split(',').map((name) => name.trim())))
      .pipe(groupList),
  ],
  { error: `must be a list of ${toolGroups.join(', ')}, or none` },
)

/** Credits as a number, or as text where a channel carries only texts. */
const credits = z.union(
  [
    z.number().gt(0).max(1_000_000),
    z
      .string()
      .regex(/^\d{1,6}(\.\d{1,6})?$/)
      .transform(Number)
      .pipe(z.number().gt(0)),
  ],
  { error: 'must be an amount of credits above 0, such as 2.5' },
)

/** The members of `x_service` in a request. */
export const serviceOptions = z.object({
  session_id: idText.nullish(),
  continue: flag.nullish(),
  project_id: idText.nullish(),
  on_disconnect: z.enum(['continue', 'cancel']).nullish(),
  background: flag.nullish(),
  sources: z.enum(['inline', 'block']).nullish(),
  progress: flag.nullish(),
  reasoning: flag.nullish(),
  isolates: flag.nullish(),
  citation_style: z.enum(['numbers', 'links']).nullish(),
  tools: toolList.nullish(),
  max_cost: credits.nullish(),
})

/** What a request sends of them, through any channel. */
export type SentOptions = z.infer<typeof serviceOptions>

export type ServiceOptions = ReturnType<typeof optionsOf>

type Name = keyof typeof serviceOptions.shape

/** Each option, with the names of its header and its flat `metadata` member. */
const names = (Object.keys(serviceOptions.shape) as readonly Name[]).map((name) => ({
  name,
  header: `x-service-${name.replaceAll('_', '-')}`,
  flat: `service.${name}`,
}))

/** Where a request names each option that it sends, such as `x_service.session_id`. */
export type OptionParams = Partial<Record<Name, string>>

/**
 * Reads the service's options. For each option the first channel that has it wins: `x_service` in the body,
 * headers, flat `metadata["service.…"]`, nested `metadata.service`.
 * @throws InputError that names the channel and the field, or ServiceError for a channel that cannot be read.
 */
export function readOptions(
  body: unknown,
  headers: IncomingHttpHeaders,
): { readonly sent: SentOptions; readonly params: OptionParams } {
  const fields = isObject(body) ? body : {}
  const own = optionsObject(fields['x_service'], 'x_service')
  const metadata = labelledObject(fields['metadata'], 'metadata')
  const nested = labelledObject(metadata['service'], 'metadata.service')
  const sent: Partial<Record<Name, unknown>> = {}
  const params: OptionParams = {}
  for (const { name, header, flat } of names) {
    const channels = [
      { path: ['x_service', name], value: own[name] },
      { path: ['headers', name], value: headers[header] },
      { path: ['metadata', flat], value: metadata[flat] },
      { path: ['metadata', 'service', name], value: nested[name] },
    ]
    const first = channels.find(({ value }) => value !== undefined && value !== null)
    if (!first) continue
    sent[name] = checkPart(serviceOptions.shape[name], first.value, first.path)
    params[name] = first.path.join('.')
  }
  return { sent: sent as SentOptions, params }
}

/** The options of a turn: what the request sends, otherwise the default of its key, otherwise that of the service. */
export function optionsOf(sent: SentOptions, defaults: KeyDefaults = {}) {
  return {
    sessionId: sent.session_id ?? undefined,
    projectId: sent.project_id ?? undefined,
    /**
     * False: messages that continue a known conversation start a new session. Otherwise undefined, which is not part of
     * the request's hash: other versions have to compute it alike.
     */
    continues: (sent.continue ?? defaults.continueHistory) === false ? false : undefined,
    onDisconnect: sent.on_disconnect ?? defaults.onDisconnect ?? 'continue',
    background: sent.background ?? false,
    sources: sent.sources ?? 'inline',
    progress: sent.progress ?? true,
    /** Replies report tool calls as reasoning; undefined: other fields of the request decide. */
    reasoning: sent.reasoning ?? undefined,
    isolates: sent.isolates ?? false,
    citationStyle: sent.citation_style ?? defaults.citationStyle ?? 'numbers',
    /** Undefined: all tools of the agent. */
    tools: sent.tools ?? groupsIn(defaults.tools),
    /** Maximum cost of the turn, in micro-credits. Undefined: that of the service. */
    maxCostMicros: sent.max_cost ? Math.round(sent.max_cost * 1_000_000) : defaults.maxCostMicros,
  } as const
}

/** The tool groups that a key's default names. */
function groupsIn(names: KeyDefaults['tools']): readonly ToolGroup[] | undefined {
  return names && toolGroups.filter((group) => names.includes(group))
}

type Values = Readonly<Record<string, unknown>>

/**
 * The value of `x_service`. A value that cannot be read may be a spending limit or a session, so it is refused.
 * @throws ServiceError `invalid_value`
 */
export function optionsObject(value: unknown, param: string): Values {
  if (value === undefined || value === null) return {}
  const read = typeof value === 'string' ? parsedObject(value, param) : value
  if (isObject(read)) return read
  throw invalidValue(`\`${param}\` must be an object, or a text with its JSON.`, param)
}

/**
 * The value of `metadata`, or of its member `service`. Both may also be a label of the client's own, which has no
 * options: anything but an object or a text that begins like one.
 * @throws ServiceError `invalid_value`
 */
export function labelledObject(value: unknown, param: string): Values {
  if (typeof value === 'string') return value.trimStart().startsWith('{') ? parsedObject(value, param) : {}
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Some clients allow only texts as metadata, so an object may come as its JSON. */
function parsedObject(text: string, param: string): Values {
  if (text.length > bounds.metadataText.max) throw wrongField(param, atMost(bounds.metadataText))
  try {
    const parsed: unknown = JSON.parse(text)
    if (isObject(parsed)) return parsed
  } catch {
    throw wrongField(param, 'the text is not valid JSON. Send an object, or the complete JSON of one')
  }
  throw wrongField(param, 'the JSON in the text must be an object')
}
