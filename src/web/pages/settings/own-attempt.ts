import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Site } from '../../../accounts/second-factor/passkeys.ts'
import { requireOwner } from '../../../accounts/sign-in/sign-in.ts'
import { clientAddress } from '../../../http/connection/client-address.ts'
import { originOf } from '../../../http/origin.ts'
import { productName } from '../../../http/product.ts'
import { readFields } from '../../components/forms.ts'
import type { SignInAttempt } from '../../visitors/sign-in-limits.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'

/** Guesses of the current password or a code count for the session: its holder is no stranger to the account. */
export function ownAttempt(request: FastifyRequest): SignInAttempt {
  const { person: account, token } = visitorOf(request)
  const browser = createHash('sha256').update(token).digest('base64url')
  return { email: account.email, address: clientAddress(request), browser }
}

const ownerForm = z.object({ current: z.string().max(1_000).default('') })

/** Checks the password that a form confirms a change with, see `requireOwner`. Guesses count. */
export async function confirmOwner(
  { database, signInLimits }: WebServices,
  request: FastifyRequest,
): Promise<void> {
  const { person, token } = visitorOf(request)
  const { current } = readFields(ownerForm, request.body)
  await signInLimits.guard(ownAttempt(request), () => requireOwner(database, person, { current, token }))
}

/** The site that passkeys belong to. */
export function siteOf(services: WebServices, request: FastifyRequest): Site {
  return { origin: originOf(services, request), product: services.appName ?? productName }
}
