import type { IncomingHttpHeaders } from 'node:http'
import { z } from 'zod'
import { InputError, idText } from '../../http/zod.ts'

/** Strings stand for booleans where a channel carries strings only. */
const flag = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: 'must be true or false',
})

/** The members of `x_service` in a request. */
export const serviceOptions = z.object({
  session_id: idText.nullish(),
  project_id: idText.nullish(),
  on_disconnect: z.enum(['continue', 'cancel']).nullish(),
  background: flag.nullish(),
  sources: z.enum(['inline', 'block']).nullish(),
  progress: flag.nullish(),
  isolates: flag.nullish(),
})

export type ServiceOptions = {
  readonly sessionId: string | undefined
  readonly projectId: string | undefined
  readonly onDisconnect: 'continue' | 'cancel'
  readonly background: boolean
  readonly sources: 'inline' | 'block'
  readonly progress: boolean
  readonly isolates: boolean
}

const names = Object.keys(serviceOptions.shape) as readonly (keyof typeof serviceOptions.shape)[]

/**
 * The service's own options, from whichever channel a client can use. For each one the first channel that has it
 * wins: `x_service` in the body, headers, flat `metadata["service.…"]`, nested `metadata.service`.
 * @throws InputError naming the channel and the field.
 */
export function readOptions(body: unknown, headers: IncomingHttpHeaders): ServiceOptions {
  const chosen = Object.fromEntries(
    names.flatMap((name) => {
      for (const [channel, values] of channels(body, headers)) {
        const value = values[name]
        if (value !== undefined && value !== null) return [[name, checked(channel, name, value)]]
      }
      return []
    }),
  ) as z.infer<typeof serviceOptions>
  return {
    sessionId: chosen.session_id ?? undefined,
    projectId: chosen.project_id ?? undefined,
    onDisconnect: chosen.on_disconnect ?? 'continue',
    background: chosen.background ?? false,
    sources: chosen.sources ?? 'inline',
    progress: chosen.progress ?? true,
    isolates: chosen.isolates ?? false,
  }
}

type Values = Readonly<Record<string, unknown>>

function* channels(body: unknown, headers: IncomingHttpHeaders): Generator<readonly [string, Values]> {
  const sent = objectOf(body)
  const metadata = objectOf(sent['metadata'])
  yield ['x_service', objectOf(sent['x_service'])]
  yield ['headers', Object.fromEntries(names.map((name) => [name, headers[headerOf(name)]]))]
  yield ['metadata', Object.fromEntries(names.map((name) => [name, metadata[`service.${name}`]]))]
  yield ['metadata.service', objectOf(metadata['service'])]
}

/** Such as `x-service-session-id`. */
function headerOf(name: string): string {
  return `x-service-${name.replaceAll('_', '-')}`
}

/** An object, or the JSON text of one: some clients allow only strings as metadata values. */
function objectOf(value: unknown): Values {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      return objectOf(JSON.parse(value))
    } catch {
      return {}
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : {}
}

function checked(channel: string, name: keyof typeof serviceOptions.shape, value: unknown): unknown {
  const parsed = serviceOptions.shape[name].safeParse(value, { reportInput: true })
  if (parsed.success) return parsed.data
  const path = channel === 'metadata' ? ['metadata', `service.${name}`] : [...channel.split('.'), name]
  throw new InputError(new z.ZodError(parsed.error.issues.map((issue) => ({ ...issue, path }))))
}
