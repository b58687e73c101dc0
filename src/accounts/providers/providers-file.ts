import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Config, ConfigError } from '../../config.ts'
import { messageOf } from '../../errors.ts'
import { parseYaml } from '../../settings-files/parse-yaml.ts'

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::\d+)?(?:\/|$)/
const name = z.string().min(1).max(200)
const domain = z
  .string()
  .regex(/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/, 'must be a domain in lower case, such as school.example')

const entry = z
  .strictObject({
    /** Part of the address to which the provider sends people back. */
    id: z.string().regex(/^[a-z0-9-]{1,40}$/, 'must be at most 40 small letters, digits and -'),
    /** The words of its button. */
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
    /** Domains of the addresses that may sign in. Undefined: all, also without an address. */
    allowed_domains: z.array(domain).min(1).optional(),
    /** Whether a new person gets an account: as the settings of the sign-up say, always, or never. */
    create_accounts: z.enum(['as_signup', 'always', 'never']).default('as_signup'),
    /** Whether a verified address leads to the account that has it. */
    trust_email: z.boolean().default(false),
    /** The claim and its value that make an account an operator. Undefined: the provider does not decide it. */
    operators: z.strictObject({ claim: name, value: name }).optional(),
    /** The claim whose values name plans. Undefined: the provider does not decide it. */
    plans: z.strictObject({ claim: name, values: z.record(name, name) }).optional(),
  })
  .transform(({ client_id: clientId, secret_env: secretName, id, label, issuer, scopes, ...rules }) => ({
    ...{ id, label, issuer, clientId, secretName, scopes },
    rules: {
      allowedDomains: rules.allowed_domains,
      createAccounts: rules.create_accounts,
      trustEmail: rules.trust_email,
      operators: rules.operators,
      plans: rules.plans,
    },
  }))

/** One provider, as the operator describes it. Without a secret it is a public client, which PKCE alone protects. */
export type ProviderEntry = Omit<z.output<typeof entry>, 'secretName'> & {
  readonly clientSecret: string | undefined
}

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
    return parsed.data.providers.map(({ secretName, ...row }, n) => {
      const plans = Object.values(row.rules.plans?.values ?? {})
      const unknown = plans.find((plan) => !planNames.includes(plan))
      if (unknown !== undefined)
        throw new Error(`providers.${n}.plans: there is no plan "${unknown}". Use: ${planNames.join(', ')}`)
      const secret = secretName && secretOf(secretName, `providers.${n}.secret_env`, config.variable)
      return { ...row, clientSecret: secret }
    })
  } catch (error) {
    throw new ConfigError(
      `SIGN_IN_FILE ${config.file} cannot be used: ${messageOf(error)}. See "OpenID Connect" in docs/sign-in.md.`,
    )
  }
}

/** The variable of the environment, or the file that the variable `NAME_FILE` names. */
function secretOf(name: string, field: string, variable: (name: string) => string | undefined): string {
  const path = variable(`${name}_FILE`)?.trim()
  const secret = variable(name)?.trim() || (path && readFileSync(path, 'utf8').trim())
  if (!secret) throw new Error(`${field}: neither ${name} nor ${name}_FILE is set`)
  return secret
}
