import type { z } from 'zod'
import { environment, type TrustProxy } from './environment.ts'

export type { TrustProxy } from './environment.ts'

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
