import { ServiceError } from '../errors.ts'
import type { Command } from './command.ts'

/**
 * Names the option in an error about the value of a field, because a person at the command line knows only options:
 * `--day-cap` for `day_cap`.
 */
export function namingOption(error: unknown, { options }: Command): unknown {
  if (!(error instanceof ServiceError) || error.param === null) return error
  const { code, message, param, cause } = error
  const option = optionOf(param, options)
  if (option === undefined || message.includes(`--${option}`)) return error
  const field = `\`${param}\``
  const named = message.includes(field) ? message.replaceAll(field, `--${option}`) : `--${option}: ${message}`
  return new ServiceError(code, named, { param, cause })
}

/** Commands name an account by its address. */
function optionOf(param: string, options: Command['options']): string | undefined {
  const names = [param.replaceAll('_', '-'), ...(param === 'email' ? ['account'] : [])]
  return names.find((name) => Object.hasOwn(options, name))
}
