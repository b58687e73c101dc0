import type { FastifyRequest } from 'fastify'
import { newEmail } from '../../../accounts/accounts.ts'
import { requireGoodPassword } from '../../../accounts/passwords/password-rules.ts'
import { isOfDomain } from '../../../accounts/providers/enter-by-provider.ts'
import { ServiceError } from '../../../errors.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import type { WebServices } from '../services.ts'

/**
 * Checks address and password of a new account, and counts it before it is created.
 * @throws ServiceError `invalid_value`, `rate_limit_exceeded`.
 */
export async function countSignUp(
  { settings, signInLimits }: WebServices,
  request: FastifyRequest,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<void> {
  const domains = settings.signUpDomains ?? []
  if (!isOfDomain(email, domains)) {
    const message = `Only addresses of ${domains.join(', ')} can have an account here.`
    throw new ServiceError('invalid_value', message, { param: 'email' })
  }
  const address = clientAddress(request)
  // The steps that cost CPU time come last: rating the password, then hashing it.
  await signInLimits.signUpAttempt(address)
  await requireGoodPassword(password, [newEmail(email)])
  await signInLimits.signUp(address)
}
