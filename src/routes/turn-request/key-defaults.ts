import type { Principal } from '../../accounts/principal.ts'
import { ServiceError } from '../../errors.ts'

/**
 * The model of a request: its own, otherwise the default of its key.
 * @throws ServiceError `missing_required_parameter` when neither names one.
 */
export function modelNamed(sent: string | null | undefined, { defaults }: Principal): string {
  const model = sent ?? defaults?.model
  if (model !== undefined) return model
  throw new ServiceError('missing_required_parameter', '`model` is required.', { param: 'model' })
}

/** The limit of tokens of each reply: that of the request, otherwise the default of its key. */
export function maxTokensOf(sent: number | null | undefined, { defaults }: Principal): number | undefined {
  return sent ?? defaults?.maxOutputTokens
}
