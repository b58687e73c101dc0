import ipaddr from 'ipaddr.js'
import { z } from 'zod'

const optionalText = z.string().trim().min(1).optional()

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must start with postgres:// or postgresql://')
  .refine(isReadableUrl, 'is no URL: encode special characters of the password, such as %40 for @')
  .optional()

const httpUrl = z
  .string()
  .regex(/^https?:\/\//, 'must start with http:// or https://')
  .transform((url) => url.replace(/\/+$/, ''))
  .optional()

/** Ranges that Fastify knows by name. */
const namedRanges: readonly string[] = ['loopback', 'linklocal', 'uniquelocal']

const trustProxyRemedy =
  'must be the number of proxies before the service (1 to 16), or their addresses separated by commas, such as 127.0.0.1 or 10.0.0.0/8'

const trustProxy = z.string().transform((text, context): TrustProxy => {
  const value = text.trim().toLowerCase()
  if (value === 'false') return false
  if (/^([1-9]|1[0-6])$/.test(value)) return Number(value)
  const entries = listOf(value)
  if (entries.length > 0 && entries.every(isAddressRange)) return Object.freeze(entries)
  const why = value === 'true' ? ': "true" would believe addresses that clients write themselves' : ''
  context.addIssue({ code: 'custom', message: trustProxyRemedy + why })
  return z.NEVER
})

const corsOrigins = z.string().transform((text, context): readonly string[] => {
  const origins = listOf(text)
  const wrong = origins.find((origin) => !isOrigin(origin))
  if (wrong === undefined) return Object.freeze(origins)
  const message = `must be origins separated by commas, such as https://app.example.org; "${wrong}" is none`
  context.addIssue({ code: 'custom', message })
  return z.NEVER
})

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
}

function isAddressRange(text: string): boolean {
  if (namedRanges.includes(text)) return true
  // A shorthand such as 10.1 would be read as 10.0.0.1.
  const full = text.includes(':') || /^\d+\.\d+\.\d+\.\d+(\/\d+)?$/.test(text)
  // All addresses are as many as with "true".
  return full && !/\/0+$/.test(text) && (ipaddr.isValid(text) || ipaddr.isValidCIDR(text))
}

/** Exactly what browsers send as `Origin`: no path, no capital letters, no port that is the scheme's own. */
function isOrigin(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text) && new URL(text).origin === text
}

const portRange = 'must be a whole number from 0 to 65535'

const environment = z.object({
  DATABASE_URL: postgresUrl,
  MIGRATE_DATABASE_URL: postgresUrl,
  DATA_DIR: z.string().min(1).default('./data'),
  HOST: z.string().min(1).default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, portRange)
    .transform(Number)
    .refine((port) => port <= 65_535, portRange)
    .default(3000),
  APP_URL: httpUrl,
  TRUST_PROXY: trustProxy.default(false),
  CORS_ORIGINS: corsOrigins.default([]),
  KEY_PEPPER: optionalText,
  MODEL_BASE_URL: httpUrl,
  MODEL_API_KEY: optionalText,
  MODEL_NAME: optionalText,
  MODELS_FILE: optionalText,
  EMBEDDINGS_BASE_URL: httpUrl,
  EMBEDDINGS_API_KEY: optionalText,
  EMBEDDINGS_MODEL: optionalText,
  PLANS_FILE: optionalText,
  SIGNUP: z.enum(['open', 'closed']).optional(),
  SIGNUP_PLAN: z.string().trim().min(1).default('free'),
  METRICS_TOKEN: optionalText,
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl,
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
})

function isReadableUrl(text: string): boolean {
  try {
    decodeURI(new URL(text).href)
    return true
  } catch {
    return false
  }
}

/**
 * Whose `X-Forwarded-*` headers are believed: nobody's, those of the given number of proxies in a row, or those of
 * proxies at the given addresses and ranges.
 */
export type TrustProxy = false | number | readonly string[]

export type Config = {
  /** Undefined: an embedded Postgres under `dataDir` is used. */
  readonly databaseUrl: string | undefined
  /** The role that owns the schema; defaults to `databaseUrl`. */
  readonly migrateDatabaseUrl: string | undefined
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly appUrl: string | undefined
  readonly trustProxy: TrustProxy
  /** Origins whose pages may call the API from a browser; none by default. */
  readonly corsOrigins: readonly string[]
  /** Secret(s) that key digests are made with, see `accounts/pepper`. */
  readonly keyPepper: string | undefined
  readonly model: {
    readonly baseUrl: string | undefined
    readonly apiKey: string | undefined
    readonly name: string | undefined
    readonly catalogueFile: string | undefined
  }
  /** Where vectors of texts come from; undefined: the library is searched by words only. */
  readonly embeddings:
    | { readonly baseUrl: string; readonly apiKey: string | undefined; readonly model: string }
    | undefined
  /** Rows that replace or extend the built-in plans, see `accounts/plans`. */
  readonly plansFile: string | undefined
  /** Whether anybody may make an account in the pages, and its plan. Closed by default when `databaseUrl` is set. */
  readonly signUp: 'open' | 'closed'
  readonly signUpPlan: string
  /** Bearer token of `/metrics`; undefined: no such route. */
  readonly metricsToken: string | undefined
  /** Base URL of the OTLP/HTTP receiver that takes traces; undefined: none are made. */
  readonly otlpEndpoint: string | undefined
  readonly logLevel: z.infer<typeof environment>['LOG_LEVEL']
}

/** A setting that cannot be used: one sentence that names it and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Reads the settings from an environment such as `process.env`. Empty values count as unset.
 * @throws ConfigError naming the first wrong variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(present)
  if (!parsed.success) {
    const issue = parsed.error.issues[0]
    throw new ConfigError(`The setting ${issue?.path.join('.')} is wrong: ${issue?.message}.`)
  }
  const e = parsed.data
  if (e.DATABASE_URL && !e.KEY_PEPPER) {
    throw new ConfigError(
      'KEY_PEPPER must be set together with DATABASE_URL, the same on every replica: generate one with `openssl rand -hex 32`.',
    )
  }
  if (e.MODEL_BASE_URL && !e.MODEL_NAME) {
    throw new ConfigError('MODEL_NAME must be set together with MODEL_BASE_URL.')
  }
  return Object.freeze({
    databaseUrl: e.DATABASE_URL,
    migrateDatabaseUrl: e.MIGRATE_DATABASE_URL ?? e.DATABASE_URL,
    dataDir: e.DATA_DIR,
    host: e.HOST,
    port: e.PORT,
    appUrl: e.APP_URL,
    trustProxy: e.TRUST_PROXY,
    corsOrigins: e.CORS_ORIGINS,
    keyPepper: e.KEY_PEPPER,
    model: Object.freeze({
      baseUrl: e.MODEL_BASE_URL,
      apiKey: e.MODEL_API_KEY,
      name: e.MODEL_NAME,
      catalogueFile: e.MODELS_FILE,
    }),
    embeddings: embeddingsOf(e),
    plansFile: e.PLANS_FILE,
    signUp: e.SIGNUP ?? (e.DATABASE_URL ? 'closed' : 'open'),
    signUpPlan: e.SIGNUP_PLAN,
    metricsToken: e.METRICS_TOKEN,
    otlpEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
    logLevel: e.LOG_LEVEL,
  })
}

function embeddingsOf(e: z.infer<typeof environment>): Config['embeddings'] {
  if (!e.EMBEDDINGS_BASE_URL) return undefined
  if (!e.EMBEDDINGS_MODEL) {
    throw new ConfigError('EMBEDDINGS_MODEL must be set together with EMBEDDINGS_BASE_URL.')
  }
  return Object.freeze({
    baseUrl: e.EMBEDDINGS_BASE_URL,
    apiKey: e.EMBEDDINGS_API_KEY,
    model: e.EMBEDDINGS_MODEL,
  })
}
