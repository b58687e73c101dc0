import { ServiceError, wrongField } from '../../errors.ts'
import { atMost, bounds } from '../../http/limits/bounds.ts'

type Values = Readonly<Record<string, unknown>>

/**
 * The value of `x_service`. A value that cannot be read may be a spending limit or a session, so it is refused.
 * @throws ServiceError `invalid_value`
 */
export function optionsObject(value: unknown, param: string): Values {
  if (value === undefined || value === null) return {}
  const read = typeof value === 'string' ? parsedObject(value, param) : value
  if (isObject(read)) return read
  throw new ServiceError('invalid_value', `\`${param}\` must be an object, or a text with its JSON.`, {
    param,
  })
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
