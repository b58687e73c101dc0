import { eq, sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { passkeys, recoveryCodes, totpSecrets } from '../../db/schema/index.ts'
import { invalidValue, type ServiceError } from '../../errors.ts'
import { type Actor, recordAction } from '../audit.ts'
import type { Peppers } from '../keys/pepper.ts'
import { useAppCode } from './authenticator-app.ts'
import { useRecoveryCode } from './recovery-codes.ts'

/** What an account has as its second factor. */
export type SecondFactor = {
  readonly hasApp: boolean
  readonly passkeys: number
  /** Recovery codes that were not used. */
  readonly recoveryCodes: number
}

/** The second factor of an account. Undefined: it has none, and a password is enough. */
export async function findSecondFactor(
  executor: Executor,
  accountId: string,
): Promise<SecondFactor | undefined> {
  const { rows } = await executor.execute<SecondFactor>(sql`
    select exists (
        select 1 from ${totpSecrets} where account_id = ${accountId} and confirmed_at is not null
      ) as "hasApp",
      (select count(*)::int from ${passkeys} where account_id = ${accountId}) as "passkeys",
      (select count(*)::int from ${recoveryCodes} where account_id = ${accountId}) as "recoveryCodes"`)
  const [factor] = rows
  return factor && (factor.hasApp || factor.passkeys > 0) ? factor : undefined
}

/**
 * Uses up a code of the authenticator app, or a recovery code. False for a wrong or used one.
 * @param executor one transaction.
 */
export async function useCode(
  executor: Executor,
  peppers: Peppers,
  accountId: string,
  code: string,
): Promise<boolean> {
  return (
    (await useAppCode(executor, peppers, accountId, code)) ||
    (await useRecoveryCode(executor, accountId, code))
  )
}

/**
 * Removes the authenticator app, the passkeys and the recovery codes of an account.
 * @param executor one transaction.
 */
export async function removeSecondFactor(
  executor: Executor,
  { actor, accountId }: { readonly actor: Actor; readonly accountId: string },
): Promise<void> {
  for (const table of [totpSecrets, passkeys, recoveryCodes])
    await executor.delete(table).where(eq(table.accountId, accountId))
  await recordAction(executor, { actor, action: 'second_factor.removed', accountId })
}

/** The error for a code that is wrong or was used. */
export function wrongCode(): ServiceError {
  return invalidValue('This code is wrong or was used. Enter a new one.', 'code')
}
