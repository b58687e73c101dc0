import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { and, asc, eq, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Executor } from '../../db/client.ts'
import { passkeys } from '../../db/schema/index.ts'
import { invalidValue, notFound, ServiceError } from '../../errors.ts'
import { recordAction } from '../audit.ts'
import { digestKey, type Peppers } from '../keys/pepper.ts'
import { derivedFrom } from '../sign-in/token-digest.ts'

/** The largest number of passkeys of an account. */
const maxPasskeys = 10

/** EdDSA, ES256 and RS256 (COSE). Named, because the library would try out what Node calls experimental. */
const algorithms = [-8, -7, -257]

/** Minutes within which a new passkey must come back from the browser. */
const registrationMinutes = 10

/** The address of the pages, such as `https://chat.example.org`. A passkey works only there. */
export type Site = { readonly origin: string; readonly product: string }

const columns = {
  id: passkeys.id,
  name: passkeys.name,
  createdAt: passkeys.createdAt,
  usedAt: passkeys.usedAt,
}

/** A passkey as its owner sees it. */
export type ListedPasskey = Readonly<Pick<typeof passkeys.$inferSelect, keyof typeof columns>>

/** The passkeys of an account, oldest first. */
export function listPasskeys(executor: Executor, accountId: string): Promise<readonly ListedPasskey[]> {
  return executor
    .select(columns)
    .from(passkeys)
    .where(eq(passkeys.accountId, accountId))
    .orderBy(asc(passkeys.createdAt))
}

/** Who adds a passkey, and until when (seconds since 1970). */
export type Registration = { readonly sessionToken: string; readonly until: number }

/** Opens the time for adding a passkey. The caller has checked the password. */
export function openRegistration(sessionToken: string): Registration {
  return { sessionToken, until: Math.floor(Date.now() / 1_000) + registrationMinutes * 60 }
}

/** What the browser needs to make a passkey. */
export async function registrationOptions(
  executor: Executor,
  peppers: Peppers,
  registration: Registration,
  owner: { readonly accountId: string; readonly email: string; readonly site: Site },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { accountId, email, site } = owner
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  return generateRegistrationOptions({
    rpName: site.product,
    rpID: new URL(site.origin).hostname,
    userName: email,
    userID: new Uint8Array(Buffer.from(accountId)),
    challenge: new Uint8Array(challengeOf(peppers, registration)),
    excludeCredentials: await known(executor, accountId),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  })
}

/**
 * Stores a new passkey.
 * @param executor one transaction.
 * @param answer the browser's, as JSON.
 * @throws ServiceError `invalid_value` if the answer is wrong, late, or not for this session.
 */
export async function addPasskey(
  executor: Executor,
  peppers: Peppers,
  registration: Registration,
  added: { readonly accountId: string; readonly name: string; readonly answer: string; readonly site: Site },
): Promise<void> {
  const { accountId, name, answer, site } = added
  if (registration.until * 1_000 < Date.now()) throw wrongPasskey()
  if ((await known(executor, accountId)).length >= maxPasskeys)
    throw invalidValue(`An account has at most ${maxPasskeys} passkeys. Remove one first.`)
  const response = parsed<RegistrationResponseJSON>(answer)
  if (!response) throw wrongPasskey()
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    response,
    expectedChallenge: challengeOf(peppers, registration).toString('base64url'),
    expectedOrigin: site.origin,
    expectedRPID: new URL(site.origin).hostname,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch((cause) => {
    throw wrongPasskey(cause)
  })
  if (!verified.verified) throw wrongPasskey()
  const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential
  const { rowCount } = await executor
    .insert(passkeys)
    .values({ id, accountId, name, publicKey: Buffer.from(publicKey), counter, transports: [...transports] })
    .onConflictDoNothing()
  if (rowCount !== 1) throw wrongPasskey()
  await recordAction(executor, { actor: accountId, action: 'second_factor.passkey_added', accountId })
}

/** What the browser needs to use a passkey in a begun sign-in. Undefined if the account has none. */
export async function passkeyOptions(
  executor: Executor,
  step: { readonly accountId: string; readonly token: string },
  site: Site,
): Promise<PublicKeyCredentialRequestOptionsJSON | undefined> {
  const allowCredentials = await known(executor, step.accountId)
  if (allowCredentials.length === 0) return undefined
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  return generateAuthenticationOptions({
    rpID: new URL(site.origin).hostname,
    challenge: new Uint8Array(stepChallenge(step.token)),
    allowCredentials,
    userVerification: 'preferred',
  })
}

/**
 * Checks the browser's answer to `passkeyOptions`. False for a wrong one, and for a passkey of another account.
 * @param executor one transaction.
 */
export async function usePasskey(
  executor: Executor,
  step: { readonly accountId: string; readonly token: string },
  answer: string,
  site: Site,
): Promise<boolean> {
  const response = parsed<AuthenticationResponseJSON>(answer)
  if (!response) return false
  const [passkey] = await executor
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.id, response.id), eq(passkeys.accountId, step.accountId)))
    .for('update')
  if (!passkey) return false
  const { id, publicKey, counter } = passkey
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyAuthenticationResponse({
    response,
    expectedChallenge: stepChallenge(step.token).toString('base64url'),
    expectedOrigin: site.origin,
    expectedRPID: new URL(site.origin).hostname,
    credential: { id, publicKey: new Uint8Array(publicKey), counter },
    requireUserVerification: false,
  }).catch(() => undefined)
  if (!verified?.verified) return false
  await executor
    .update(passkeys)
    .set({ counter: verified.authenticationInfo.newCounter, usedAt: sql`now()` })
    .where(eq(passkeys.id, id))
  return true
}

/**
 * Removes a passkey.
 * @param executor one transaction.
 * @throws ServiceError `not_found` if the account has no such passkey.
 */
export async function removePasskey(executor: Executor, accountId: string, id: string): Promise<void> {
  const { rowCount } = await executor
    .delete(passkeys)
    .where(and(eq(passkeys.id, id), eq(passkeys.accountId, accountId)))
  if (rowCount !== 1) throw notFound()
  await recordAction(executor, { actor: accountId, action: 'second_factor.passkey_removed', accountId })
}

/** As the lists of the options have them. */
async function known(executor: Executor, accountId: string) {
  const rows = await executor
    .select({ id: passkeys.id, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.accountId, accountId))
  return rows.map(({ id, transports }) => ({ id, transports }))
}

/**
 * Only a page that the service has made can hold it: without the pepper, the token of a session does not give the
 * challenge. So nobody skips the password.
 */
function challengeOf([pepper]: Peppers, { sessionToken, until }: Registration): Buffer {
  return digestKey(`new passkey\n${sessionToken}\n${until}`, pepper)
}

/** A step is used once, so its challenge is, too. */
function stepChallenge(token: string): Buffer {
  return derivedFrom(token, 'passkey')
}

const answerOf = z.looseObject({
  id: z.string(),
  rawId: z.string(),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: z.string() }),
  clientExtensionResults: z.looseObject({}).default({}),
})

/** The library checks the rest. Undefined for a text that no browser makes. */
function parsed<Answer extends { readonly id: string }>(text: string): Answer | undefined {
  try {
    return answerOf.parse(JSON.parse(text)) as unknown as Answer
  } catch {
    return undefined
  }
}

function wrongPasskey(cause?: unknown): ServiceError {
  return new ServiceError('invalid_value', 'The passkey was not accepted. Try again.', { cause })
}
