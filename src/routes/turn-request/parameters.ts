import { ServiceError } from '../../errors.ts'

/**
 * What the service does with a parameter of an official request: it is `honoured`, or `ignored` (accepted without
 * effect), or `refused` where ignoring it would do silent harm.
 */
export type Parameter = {
  readonly name: string
  readonly does: 'honoured' | 'ignored' | 'refused'
  /** What else is to be known, as the documents say it. */
  readonly note?: string
  /** What is wrong with this value, and what to do; undefined when it does no harm. Never asked of null. */
  readonly refuse?: (value: unknown) => string | undefined
}

/** Both APIs have it: to ask for none is no harm. */
export const topLogprobs: Parameter = {
  name: 'top_logprobs',
  does: 'refused',
  note: '0 is accepted',
  refuse: (value) =>
    value === 0 ? undefined : 'Log probabilities are not available: leave `top_logprobs` out.',
}

/** @throws ServiceError `unsupported_parameter` for the first one that is refused. */
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

/** Their names as prose: `` `a`, `b` and `c` ``. */
export function namesOf(parameters: readonly Parameter[], does: Parameter['does']): string {
  const names = parameters.filter((one) => one.does === does).map(({ name }) => `\`${name}\``)
  return `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
