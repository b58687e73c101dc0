export type Json = Readonly<Record<string, unknown>>

/** Whether the value is a JSON object, not null, a list or a scalar. */
export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The value of a JSON text. Undefined if the text is malformed. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
