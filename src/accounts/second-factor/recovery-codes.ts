import { randomInt } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { recoveryCodes } from '../../db/schema/index.ts'
import { recordAction } from '../audit.ts'
import { tokenDigest } from '../sign-in/token-digest.ts'

/** Recovery codes of an account. */
const codes = 10
/** Without letters that look like digits: people copy the codes by hand. */
const letters = 'abcdefghjkmnpqrstuvwxyz23456789'
/** Letters of a code: 79 random bits, so that a fast hash is enough. */
const codeLength = 16

/**
 * Replaces the recovery codes of an account.
 * @returns the new ones. Only their digests are stored, so these are the only copies.
 */
export async function replaceRecoveryCodes(
  executor: Executor,
  accountId: string,
): Promise<readonly string[]> {
  const made = Array.from({ length: codes }, newCode)
  await executor.delete(recoveryCodes).where(eq(recoveryCodes.accountId, accountId))
  await executor
    .insert(recoveryCodes)
    .values(made.map((code) => ({ accountId, digest: tokenDigest(plain(code)) })))
  return made
}

/** Uses a recovery code up. False if the account has no such code. */
export async function useRecoveryCode(executor: Executor, accountId: string, code: string): Promise<boolean> {
  const { rowCount } = await executor
    .delete(recoveryCodes)
    .where(and(eq(recoveryCodes.accountId, accountId), eq(recoveryCodes.digest, tokenDigest(plain(code)))))
  if (rowCount !== 1) return false
  const action = 'second_factor.recovery_code_used'
  await recordAction(executor, { actor: accountId, action, accountId })
  return true
}

/** Such as `abcd-efgh-jkmn-pqrs`. */
function newCode(): string {
  const code = Array.from({ length: codeLength }, () => letters[randomInt(letters.length)]).join('')
  return (code.match(/.{4}/g) ?? []).join('-')
}

function plain(code: string): string {
  return code.replace(/[^a-zA-Z0-9]/g, '').toLowerCase()
}
