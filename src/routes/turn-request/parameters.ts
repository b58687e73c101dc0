import { ServiceError } from '../../errors.ts'

/**
 * Support for a parameter of an OpenAI request: `honoured`; `ignored` (accepted without effect); `refused`,
 * where ignoring it would do harm unnoticed.
 */
export type Parameter = {
  readonly name: string
  readonly does: 'honoured' | 'ignored' | 'refused'
  /**
   * Error message for a value: what is wrong and what to do. Undefined for a harmless value; not called for
   * null.
   */
  readonly refuse?: (value: unknown) => string | undefined
}

/** Parameters by their names, with blanks between them. */
export const honoured = (names: string): readonly Parameter[] =>
  names.split(/\s+/).map((name) => ({ name, does: 'honoured' }))
export const ignored = (names: string): readonly Parameter[] =>
  names.split(/\s+/).map((name) => ({ name, does: 'ignored' }))
export const refused = (name: string, refuse: NonNullable<Parameter['refuse']>): Parameter => ({
  ...{ name, does: 'refused', refuse },
})

/** `top_logprobs` of both APIs; the value 0 asks for nothing and is accepted. */
export const topLogprobs = refused('top_logprobs', (value) =>
  value === 0 ? undefined : 'Log probabilities are not available: leave `top_logprobs` out.',
)

/** @throws ServiceError `unsupported_parameter` for the first refused parameter. */
export function refuseUnsupported(
  parameters: readonly Parameter[],
  body: Readonly<Record<string, unknown>>,
): void {
  for (const { name, refuse } of parameters) {
    const value = body[name]
    if (value === undefined || value === null) continue
    const message = refuse?.(value)
    if (message !== undefined) throw new ServiceError('unsupported_parameter', message, { param: name })
  }
}

/** Parameter names as prose: `` `a`, `b` and `c` ``. */
export function namesOf(parameters: readonly Parameter[], does: Parameter['does']): string {
  const names = parameters.filter((one) => one.does === does).map(({ name }) => `\`${name}\``)
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
