import { sql } from 'drizzle-orm'
import { createAccount } from './accounts/accounts.ts'
import { createKey } from './accounts/keys/keys.ts'
import { scopes } from './accounts/scopes.ts'
import { withTx } from './db/client.ts'
import { accounts } from './db/schema/index.ts'
import { randomBase62 } from './ids.ts'
import type { Installation } from './installation.ts'
import { serviceCommand } from './version/version.ts'

export type FirstCredentials = { readonly email: string; readonly password: string; readonly key: string }

/**
 * Creates an account with an owner-wide key if the database has no accounts. The result is shown once and
 * stored nowhere.
 */
export function firstStart({
  database,
  peppers,
  plans,
}: Installation): Promise<FirstCredentials | undefined> {
  return withTx(database, 'system', async (tx) => {
    // Two simultaneous first starts must not create two accounts.
    await tx.execute(sql`lock table ${accounts} in share row exclusive mode`)
    const [known] = await tx.select({ id: accounts.id }).from(accounts).limit(1)
    if (known) return undefined
    const password = randomBase62(20)
    const account = await createAccount(tx, plans, {
      email: 'owner@localhost',
      plan: 'pro',
      password,
      operator: true,
    })
    const reach = { kind: 'owner' } as const
    const { key } = await createKey(tx, peppers, account.id, { name: 'First key', scopes, reach })
    return { email: account.email, password, key }
  })
}

/** The text that the first start prints. */
export function welcome(credentials: FirstCredentials, baseUrl: string): string {
  return `
  The service is ready. This is shown once: keep it.

    Pages      ${baseUrl}
    Base URL   ${baseUrl}/v1
    Account    ${credentials.email}
    Password   ${credentials.password}
    API key    ${credentials.key}

  Ask something:

    curl -N ${baseUrl}/v1/chat/completions \\
      -H "Authorization: Bearer ${credentials.key}" \\
      -H "Content-Type: application/json" \\
      -d '{"model":"service","stream":true,"messages":[{"role":"user","content":"What does the Tanya mean by a beinoni?"}]}'

  The library has a short starter collection. List and add books from Sefaria, in another terminal:

    ${serviceCommand} sources add
    ${serviceCommand} sources add tanya
`
}
