import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Config, ConfigError } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import { parseYaml } from '../../settings-files/parse-yaml.ts'

/** What a provider may do here. */
export type ProviderRules = {
  /** Domains of the addresses that may sign in. Undefined: all, also without an address. */
  readonly allowedDomains: readonly string[] | undefined
  /** Whether a new person gets an account: as the settings of the sign-up say, always, or never. */
  readonly createAccounts: 'as_signup' | 'always' | 'never'
  /** Whether a verified address leads to the account that has it. */
  readonly trustEmail: boolean
  /** The claim and its value that make an account an operator. Undefined: the provider does not decide it. */
  readonly operators: { readonly claim: string; readonly value: string } | undefined
  /** The claim whose values name plans. Undefined: the provider does not decide it. */
  readonly plans: { readonly claim: string; readonly values: Readonly<Record<string, string>> } | undefined
}

/** One provider, as the operator describes it. */
export type ProviderEntry = {
  /** Part of the address to which the provider sends people back. */
  readonly id: string
  /** The words of its button. */
  readonly label: string
  readonly issuer: string
  readonly clientId: string
  /** Undefined: a public client, which PKCE alone protects. */
  readonly clientSecret: string | undefined
  readonly scopes: readonly string[]
  readonly rules: ProviderRules
}

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?(?:\/|$)/
const name = z.string().min(1).max(200)
const domain = z
  .string()
  .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a domain in lower case, such as school.example')

const entry = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be at most 40 small letters, digits and -'),
  label: name,
  issuer: z
    .url()
    .refine(
      (url) => url.startsWith('https://') || loopback.test(url),
      'must start with https://, or be http:// on this machine',
    ),
  client_id: name,
  secret_env: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable')
    .optional(),
  scopes: z
    .array(name)
    .refine((scopes) => scopes.includes('openid'), 'must have openid')
    .default(['openid', 'email', 'profile']),
  allowed_domains: z.array(domain).min(1).optional(),
  create_accounts: z.enum(['as_signup', 'always', 'never']).default('as_signup'),
  trust_email: z.boolean().default(false),
  operators: z.strictObject({ claim: name, value: name }).optional(),
  plans: z.strictObject({ claim: name, values: z.record(name, name) }).optional(),
})

const file = z.strictObject({
  providers: z
    .array(entry)
    .max(20)
    .refine((all) => new Set(all.map(({ id }) => id)).size === all.length, 'each provider needs another id')
    .refine(
      (all) => new Set(all.map(({ issuer }) => issuer)).size === all.length,
      'each provider needs another issuer',
    ),
})

/**
 * Reads the file of `SIGN_IN_FILE`, JSON or YAML.
 * @param planNames the plans of this service.
 * @throws ConfigError that names the file, the field and the remedy. It quotes no secret.
 */
export async function readProvidersFile(
  config: NonNullable<Config['signIn']>,
  planNames: readonly string[],
): Promise<readonly ProviderEntry[]> {
  try {
    const parsed = file.safeParse(parseYaml(await readFile(config.file, 'utf8')))
    if (!parsed.success) {
      const issue = parsed.error.issues[0]
      throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
    }
    return parsed.data.providers.map((row, n) => {
      const unknown = Object.values(row.plans?.values ?? {}).find((plan) => !planNames.includes(plan))
      if (unknown !== undefined)
        throw new Error(`providers.${n}.plans: there is no plan "${unknown}". Use: ${planNames.join(', ')}`)
      return entryOf(row, `providers.${n}.secret_env`, config.variable)
    })
  } catch (error) {
    throw new ConfigError(
      `SIGN_IN_FILE ${config.file} cannot be used: ${messageOf(error)}. See "OpenID Connect" in docs/sign-in.md.`,
    )
  }
}

function entryOf(
  row: z.infer<typeof entry>,
  secretField: string,
  variable: (name: string) => string | undefined,
): ProviderEntry {
  const { secret_env: secretName } = row
  return {
    ...{ id: row.id, label: row.label, issuer: row.issuer, clientId: row.client_id, scopes: row.scopes },
    clientSecret: secretName === undefined ? undefined : secretOf(secretName, secretField, variable),
    rules: {
      allowedDomains: row.allowed_domains,
      createAccounts: row.create_accounts,
      trustEmail: row.trust_email,
      operators: row.operators,
      plans: row.plans,
    },
  }
}

/** The variable of the environment, or the file that the variable `NAME_FILE` names. */
function secretOf(name: string, field: string, variable: (name: string) => string | undefined): string {
  const path = variable(`${name}_FILE`)?.trim()
  const secret = variable(name)?.trim() || (path && readFileSync(path, 'utf8').trim())
  if (!secret) throw new Error(`${field}: neither ${name} nor ${name}_FILE is set`)
  return secret
}
