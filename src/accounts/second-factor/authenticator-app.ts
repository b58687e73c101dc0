import { and, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { totpSecrets } from '../../db/schema/index.ts'
import { invalidValue } from '../../errors.ts'
import type { Peppers } from '../keys/pepper.ts'
import { seal, unseal } from '../keys/sealing.ts'

/** Seconds by which the clock of a phone may differ from ours: one period (RFC 6238, 5.2). */
const toleranceSeconds = 30

/** What an authenticator app needs: the secret as base32, and the same as a URI for a QR code. */
export type AppSecret = { readonly secret: string; readonly uri: string }

/** Who the codes are for, as the app shows it. */
export type AppLabel = { readonly accountId: string; readonly email: string; readonly product: string }

/**
 * Makes the secret for an authenticator app and replaces one whose set-up was not finished.
 * @throws ServiceError `invalid_value` if the account has an app.
 */
export async function beginApp(executor: Executor, peppers: Peppers, label: AppLabel): Promise<AppSecret> {
  const { accountId } = label
  const { generateSecret } = await import('otplib')
  const secret = generateSecret()
  const sealed = seal(peppers, { purpose: 'totp', accountId }, Buffer.from(secret))
  const { rowCount } = await executor
    .insert(totpSecrets)
    .values({ accountId, sealed })
    .onConflictDoUpdate({
      target: totpSecrets.accountId,
      set: { sealed, createdAt: sql`now()` },
      setWhere: isNull(totpSecrets.confirmedAt),
    })
  if (rowCount !== 1) throw invalidValue('The account has an authenticator app already. Remove it first.')
  return appSecret(secret, label)
}

/** The secret of a set-up that is not finished; undefined without one. */
export async function unfinishedApp(
  executor: Executor,
  peppers: Peppers,
  label: AppLabel,
): Promise<AppSecret | undefined> {
  const { accountId } = label
  const [row] = await executor
    .select({ sealed: totpSecrets.sealed })
    .from(totpSecrets)
    .where(and(eq(totpSecrets.accountId, accountId), isNull(totpSecrets.confirmedAt)))
  const secret = row && unseal(peppers, { purpose: 'totp', accountId }, row.sealed)
  return secret && appSecret(secret.toString(), label)
}

/**
 * Takes an app into use by its first code. False for a wrong code, and without a set-up that was begun.
 * @param executor one transaction.
 */
export async function confirmApp(
  executor: Executor,
  peppers: Peppers,
  accountId: string,
  code: string,
): Promise<boolean> {
  if (!(await spendCode(executor, peppers, { accountId, code, confirmed: false }))) return false
  await executor
    .update(totpSecrets)
    .set({ confirmedAt: sql`now()` })
    .where(eq(totpSecrets.accountId, accountId))
  return true
}

/**
 * Uses a code of the account's app up. False for a wrong code, for one of a period that was used, and without an app.
 * @param executor one transaction.
 */
export function useAppCode(
  executor: Executor,
  peppers: Peppers,
  accountId: string,
  code: string,
): Promise<boolean> {
  return spendCode(executor, peppers, { accountId, code, confirmed: true })
}

async function spendCode(
  executor: Executor,
  peppers: Peppers,
  use: { readonly accountId: string; readonly code: string; readonly confirmed: boolean },
): Promise<boolean> {
  const { accountId, confirmed } = use
  const token = use.code.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return false
  const [row] = await executor
    .select({ sealed: totpSecrets.sealed, lastPeriod: totpSecrets.lastPeriod })
    .from(totpSecrets)
    .where(
      and(
        eq(totpSecrets.accountId, accountId),
        confirmed ? isNotNull(totpSecrets.confirmedAt) : isNull(totpSecrets.confirmedAt),
      ),
    )
    // Two uses of one code must not both read the period before it.
    .for('update')
  const sealedFor = { purpose: 'totp', accountId } as const
  const secret = row && unseal(peppers, sealedFor, row.sealed)
  if (!secret) return false
  const { verifySync } = await import('otplib')
  const result = verifySync({ secret: secret.toString(), token, epochTolerance: toleranceSeconds })
  if (!result.valid || !('timeStep' in result) || result.timeStep <= row.lastPeriod) return false
  // Sealed again: after a change of `KEY_PEPPER`, each use moves a secret to the new version.
  await executor
    .update(totpSecrets)
    .set({ lastPeriod: result.timeStep, sealed: seal(peppers, sealedFor, secret) })
    .where(eq(totpSecrets.accountId, accountId))
  return true
}

async function appSecret(secret: string, { email, product }: AppLabel): Promise<AppSecret> {
  const { generateURI } = await import('otplib')
  return { secret, uri: generateURI({ secret, label: email, issuer: product }) }
}
