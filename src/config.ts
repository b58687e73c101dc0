import type { z } from 'zod'
import { ConfigError, environment, refusalOf, withSecretFiles } from './environment.ts'
import { type CommandWords, commandWords, isProgram } from './setting-values/command.ts'
import type { RetentionDays, TrustProxy } from './setting-values/values.ts'

export { ConfigError, loadSettingsFile } from './environment.ts'
export type { RetentionDays, TrustProxy } from './setting-values/values.ts'

type FileWithSecrets = {
  readonly file: string
  /** The value of a variable of the environment, for secrets that stay out of the file. */
  variable(name: string): string | undefined
}

export type Config = {
  /** Undefined: an embedded Postgres under `dataDir` is used. */
  readonly databaseUrl: string | undefined
  /** The role that owns the schema; defaults to `databaseUrl`. */
  readonly migrateDatabaseUrl: string | undefined
  /** The database of the library. Undefined: the main one. */
  readonly libraryDatabaseUrl: string | undefined
  readonly upgradeBackedUp: boolean
  readonly dataDir: string
  readonly host: string
  readonly port: number
  readonly appUrl: string | undefined
  /** Name of the product. Undefined: its own name, in the language of the reader. */
  readonly appName: string | undefined
  readonly fileUrlHosts: readonly string[]
  /** Whether webhook endpoints may be in private networks and without TLS. */
  readonly webhooksAllowPrivate: boolean
  readonly trustProxy: TrustProxy
  /** Origins whose pages may call the API from a browser; none by default. */
  readonly corsOrigins: readonly string[]
  /** How long open streams may continue after SIGTERM. */
  readonly drainMs: number
  /** Secrets for key digests, see `accounts/keys/pepper`. */
  readonly keyPepper: string | undefined
  readonly model: {
    readonly baseUrl: string | undefined
    readonly apiKey: string | undefined
    readonly name: string | undefined
    readonly catalogueFile: string | undefined
    /** What the host tells all models, except those for utility requests. */
    readonly instructionsFile?: string | undefined
    /** The value of a variable of the environment: providers have usual names for the variables of their keys. */
    variable?(name: string): string | undefined
  }
  /** The server that questions and answers are checked by. Undefined: none. */
  readonly moderation:
    | {
        readonly url: string
        readonly apiKey: string | undefined
        readonly model: string | undefined
        readonly onFailure: 'allow' | 'refuse'
      }
    | undefined
  /** The embeddings API. Undefined: the library has keyword search only. */
  readonly embeddings:
    | {
        readonly kind: 'api'
        readonly baseUrl: string
        readonly apiKey: string | undefined
        readonly model: string
      }
    /** `model` is an id of the Hugging Face Hub, or the path of a folder; `hubUrl` a mirror of the Hub. */
    | { readonly kind: 'local'; readonly model: string; readonly hubUrl: string | undefined }
    | undefined
  /** Price of embeddings for clients, in micro-credits. */
  readonly embeddingMicrosPerToken: bigint
  /** Folder, or base URL of a mirror, from which collections come. Undefined: the public export. */
  readonly libraryExport: string | undefined
  /** Where texts that the library does not hold are fetched. Undefined: nowhere. */
  readonly fallback:
    | { readonly baseUrl: string; readonly licenses: readonly ('cc-by-nc' | 'unknown')[] }
    | undefined
  /** Outside servers whose tools turns may call. Undefined: none. */
  readonly mcpServers: FileWithSecrets | undefined
  /** The bucket for the content of files. Without `url` Postgres stores it; the rest is for what is still in a bucket. */
  readonly files: {
    readonly url: string | undefined
    readonly endpoint: string | undefined
    readonly region: string | undefined
    /** Undefined: those that the AWS SDK finds. */
    readonly credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined
  }
  /** What recognises the text of scanned PDFs, with the `PATH` in which its programs are. Undefined: nothing does. */
  readonly ocr: { readonly words: CommandWords; readonly path: string } | undefined
  /** Rows that replace or extend the built-in plans, see `accounts/plans`. */
  readonly plansFile: string | undefined
  /**
   * Whether anybody can create an account in the web pages, and that account's plan. Closed by default if
   * `databaseUrl` is set.
   */
  readonly signUp: 'open' | 'invited' | 'closed'
  readonly signUpPlan: string
  /** Domains whose addresses may create an account in the pages. Empty: all. */
  readonly signUpDomains: readonly string[]
  /** The file with the OpenID Connect providers. Undefined: none. */
  readonly signIn: FileWithSecrets | undefined
  /** Days from the closing of an account by its owner to the deletion of its data. */
  readonly deletionDays: number
  /** Days after which data of a kind is deleted. */
  readonly retentionDays: RetentionDays | undefined
  /** The SMTP server and the sender. Undefined: no mail is sent. */
  readonly mail: { readonly smtpUrl: string; readonly from: string; readonly appUrl: string } | undefined
  /** Bearer token for `/metrics`. Undefined: the route does not exist. */
  readonly metricsToken: string | undefined
  /** Base URL of the OTLP/HTTP receiver of traces. Undefined: no traces. */
  readonly otlpEndpoint: string | undefined
  /** Headers for that receiver. */
  readonly otlpHeaders: Readonly<Record<string, string>> | undefined
  readonly logLevel: z.infer<typeof environment>['LOG_LEVEL']
}

/**
 * Reads the settings from an environment such as `process.env`. Spaces around a value do not count, and empty values
 * count as unset.
 * @throws ConfigError that names the first wrong variable.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const trimmed = Object.entries(env).map(([name, value]) => [name, value?.trim()] as const)
  const present = withSecretFiles(Object.fromEntries(trimmed.filter(([, value]) => value !== '')))
  const parsed = environment.safeParse(present)
  if (!parsed.success) throw new ConfigError(refusalOf(parsed.error.issues[0], present))
  const e = parsed.data
  if (e.DATABASE_URL && !e.KEY_PEPPER) {
    throw new ConfigError(
      'DATABASE_URL is set, but KEY_PEPPER is not. Set it to the same secret on every replica; `openssl rand -hex 32` generates one.',
    )
  }
  if (e.MODEL_BASE_URL && !e.MODEL_NAME) {
    throw new ConfigError('MODEL_BASE_URL is set, but MODEL_NAME is not. Set both.')
  }
  const unused = e.MODEL_NAME ? 'MODEL_NAME' : e.MODEL_API_KEY && 'MODEL_API_KEY'
  if (unused && !e.MODEL_BASE_URL) {
    throw new ConfigError(
      `${unused} is set, but MODEL_BASE_URL is not: the built-in model would answer. Set MODEL_BASE_URL, or remove ${unused}.`,
    )
  }
  return Object.freeze({
    databaseUrl: e.DATABASE_URL,
    migrateDatabaseUrl: e.MIGRATE_DATABASE_URL ?? e.DATABASE_URL,
    libraryDatabaseUrl: e.LIBRARY_DATABASE_URL,
    upgradeBackedUp: e.UPGRADE_BACKED_UP === 'yes',
    dataDir: e.DATA_DIR,
    host: e.HOST,
    port: e.PORT,
    appUrl: e.APP_URL,
    appName: e.APP_NAME,
    fileUrlHosts: e.FILE_URL_HOSTS,
    webhooksAllowPrivate: e.WEBHOOK_PRIVATE_ADDRESSES === 'allow',
    trustProxy: e.TRUST_PROXY,
    corsOrigins: e.CORS_ORIGINS,
    drainMs: e.DRAIN_SECONDS * 1_000,
    keyPepper: e.KEY_PEPPER,
    model: modelOf(e, env),
    moderation: moderationOf(e),
    embeddings: embeddingsOf(e),
    // The setting has at most three decimals, per 1,000 tokens.
    embeddingMicrosPerToken: BigInt(Math.round(e.EMBEDDINGS_PRICE * 1_000)),
    libraryExport: e.LIBRARY_EXPORT,
    fallback:
      e.LIBRARY_FALLBACK === 'sefaria'
        ? Object.freeze({
            baseUrl: e.LIBRARY_FALLBACK_URL ?? 'https://www.sefaria.org',
            licenses: e.LIBRARY_FALLBACK_LICENSES,
          })
        : undefined,
    mcpServers:
      e.MCP_SERVERS === undefined
        ? undefined
        : Object.freeze({ file: e.MCP_SERVERS, variable: (name: string) => env[name] }),
    files: filesOf(e, env['AWS_REGION']),
    ocr: ocrOf(e.OCR_COMMAND, env['PATH']),
    plansFile: e.PLANS_FILE,
    signUp: e.SIGNUP ?? (e.DATABASE_URL ? 'closed' : 'open'),
    signUpPlan: e.SIGNUP_PLAN,
    ...{ signUpDomains: e.SIGNUP_DOMAINS, signIn: signInOf(e, env) },
    ...{ deletionDays: e.DELETION_DAYS, retentionDays: e.RETENTION_DAYS },
    mail: mailOf(e),
    metricsToken: e.METRICS_TOKEN,
    otlpEndpoint: e.OTEL_EXPORTER_OTLP_ENDPOINT,
    otlpHeaders: e.OTEL_EXPORTER_OTLP_HEADERS,
    logLevel: e.LOG_LEVEL,
  })
}

function modelOf(
  e: z.infer<typeof environment>,
  env: Readonly<Record<string, string | undefined>>,
): Config['model'] {
  return Object.freeze({
    baseUrl: e.MODEL_BASE_URL,
    apiKey: e.MODEL_API_KEY,
    name: e.MODEL_NAME,
    catalogueFile: e.MODELS_FILE,
    instructionsFile: e.INSTRUCTIONS_FILE,
    ...(e.MODELS_FILE !== undefined && { variable: (name: string) => env[name] }),
  })
}

function signInOf(
  e: z.infer<typeof environment>,
  env: Readonly<Record<string, string | undefined>>,
): Config['signIn'] {
  if (e.SIGNUP_DOMAINS.length > 0 && !e.SMTP_URL)
    throw new ConfigError(
      'SIGNUP_DOMAINS is set, but SMTP_URL is not. Set it, because only the mailed link shows whose address it is.',
    )
  if (e.SIGN_IN_FILE === undefined) return undefined
  if (!e.APP_URL)
    throw new ConfigError(
      'SIGN_IN_FILE is set, but APP_URL is not. Set it, because providers send people back to this address.',
    )
  return Object.freeze({ file: e.SIGN_IN_FILE, variable: (name: string) => env[name] })
}

function moderationOf(e: z.infer<typeof environment>): Config['moderation'] {
  const { MODERATION_URL: url, MODERATION_API_KEY: apiKey, MODERATION_MODEL: model } = e
  if (url) return Object.freeze({ url, apiKey, model, onFailure: e.MODERATION_ON_FAILURE })
  const unused = apiKey ? 'MODERATION_API_KEY' : model && 'MODERATION_MODEL'
  if (unused) throw new ConfigError(`${unused} is set, but MODERATION_URL is not. Set both.`)
  return undefined
}

function mailOf(e: z.infer<typeof environment>): Config['mail'] {
  if (!e.SMTP_URL) {
    if (e.MAIL_FROM) throw new ConfigError('MAIL_FROM is set, but SMTP_URL is not. Set both.')
    return undefined
  }
  if (!e.MAIL_FROM) throw new ConfigError('SMTP_URL is set, but MAIL_FROM is not. Set both.')
  if (!e.APP_URL)
    throw new ConfigError(
      'SMTP_URL is set, but APP_URL is not. Set it, because the links in mails begin with it.',
    )
  return Object.freeze({ smtpUrl: e.SMTP_URL, from: e.MAIL_FROM, appUrl: e.APP_URL })
}

function filesOf(e: z.infer<typeof environment>, usualRegion: string | undefined): Config['files'] {
  const [accessKeyId, secretAccessKey] = [e.FILES_ACCESS_KEY_ID, e.FILES_SECRET_ACCESS_KEY]
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new ConfigError('Set both FILES_ACCESS_KEY_ID and FILES_SECRET_ACCESS_KEY, or neither.')
  return Object.freeze({
    url: e.FILES_URL,
    endpoint: e.FILES_ENDPOINT,
    // Servers other than Amazon's mostly take any region, but the SDK does not go without one.
    region: e.FILES_REGION ?? usualRegion ?? (e.FILES_ENDPOINT && 'us-east-1'),
    credentials: accessKeyId && secretAccessKey ? { accessKeyId, secretAccessKey } : undefined,
  })
}

/** @throws ConfigError if the program is not found: otherwise every scan would fail. */
function ocrOf(command: string | undefined, searched = ''): Config['ocr'] {
  if (command === undefined) return undefined
  const words = commandWords(command)
  if (isProgram(words[0], searched)) return Object.freeze({ words, path: searched })
  throw new ConfigError(
    `OCR_COMMAND names the program ${words[0]}, which is not found. Install it, or write its whole path.`,
  )
}

const localPrefix = 'local:'

function embeddingsOf(e: z.infer<typeof environment>): Config['embeddings'] {
  const model = e.EMBEDDINGS_MODEL
  if (model?.startsWith(localPrefix)) {
    const name = model.slice(localPrefix.length)
    if (!name)
      throw new ConfigError('EMBEDDINGS_MODEL=local: needs the id of a model or the path of a folder.')
    if (e.EMBEDDINGS_BASE_URL) {
      throw new ConfigError(
        `EMBEDDINGS_MODEL=${model} runs in the service. Remove EMBEDDINGS_BASE_URL, or name a model of that API.`,
      )
    }
    return Object.freeze({ kind: 'local', model: name, hubUrl: e.HF_ENDPOINT })
  }
  if (!e.EMBEDDINGS_BASE_URL) {
    if (!model) return undefined
    throw new ConfigError(
      `EMBEDDINGS_MODEL=${model} needs EMBEDDINGS_BASE_URL, or the form local:ID for a model that the service runs.`,
    )
  }
  if (!model) throw new ConfigError('EMBEDDINGS_BASE_URL is set, but EMBEDDINGS_MODEL is not. Set both.')
  return Object.freeze({ kind: 'api', baseUrl: e.EMBEDDINGS_BASE_URL, apiKey: e.EMBEDDINGS_API_KEY, model })
}
