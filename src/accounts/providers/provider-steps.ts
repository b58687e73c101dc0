import { and, eq, gt, sql } from 'drizzle-orm'
import { z } from 'zod'
import type { Executor } from '../../db/client.ts'
import { signInSteps } from '../../db/schema/index.ts'
import { stepMinutes } from '../sign-in/sign-in-steps.ts'
import { newToken, tokenDigest } from '../sign-in/token-digest.ts'

const step = z.object({
  provider: z.string(),
  /** Where the sign-in leads. */
  next: z.string().optional(),
  /** A form that the sign-in interrupts. */
  kept: z.string().optional(),
  /** The account that gets the identity. Without it, the person signs in. */
  linkTo: z.string().optional(),
})

/** What a sign-in at a provider goes on with. */
export type ProviderStep = z.infer<typeof step>

/** Opens a step. @returns its token, of which only a digest is stored. */
export async function openProviderStep(executor: Executor, data: ProviderStep): Promise<string> {
  const { token, digest } = newToken()
  await executor.insert(signInSteps).values({
    digest,
    accountId: '',
    data,
    expiresAt: sql`now() + make_interval(mins => ${stepMinutes})`,
  })
  return token
}

/** Takes a step, which works once. Undefined if it is unknown, over, or for another provider. */
export async function takeProviderStep(
  executor: Executor,
  token: string,
  provider: string,
): Promise<ProviderStep | undefined> {
  const [row] = await executor
    .delete(signInSteps)
    .where(
      and(
        eq(signInSteps.digest, tokenDigest(token)),
        eq(signInSteps.accountId, ''),
        gt(signInSteps.expiresAt, sql`now()`),
        sql`${signInSteps.data} ->> 'provider' = ${provider}`,
      ),
    )
    .returning({ data: signInSteps.data })
  return row && step.parse(row.data)
}
