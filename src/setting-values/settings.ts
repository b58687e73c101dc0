import { z } from 'zod'
import { ofAccounts } from './account-settings.ts'
import { documented } from './documented.ts'
import {
  corsOrigins,
  fallbackLicenses,
  folderOrUrl,
  hostList,
  httpUrl,
  optionalText,
  otlpHeaders,
  portRange,
  postgresUrl,
  rootUrl,
  trustProxy,
} from './values.ts'

/**
 * Every setting, in the groups and order of `.env.example` and `docs/configuration.md`, which are generated
 * from this list.
 */
export const settings = {
  Database: {
    DATABASE_URL: documented(postgresUrl, {
      value: 'URL',
      unset: 'an embedded Postgres is started',
      description:
        'Postgres 15 or later. The role owns the database and is no superuser, so that row-level security applies.',
    }),
    MIGRATE_DATABASE_URL: documented(postgresUrl, {
      value: 'URL',
      unset: 'the role of DATABASE_URL',
      description: 'Another role, which owns the schema and migrates it.',
    }),
    LIBRARY_DATABASE_URL: documented(postgresUrl, {
      value: 'URL',
      unset: 'the library is in the main database',
      description:
        'Another Postgres for the library, which several services can share. See docs/library-database.md.',
    }),
    DATA_DIR: documented(z.string().min(1).default('./data'), {
      value: 'folder',
      description: 'Folder of the embedded Postgres and its secrets.',
    }),
    KEY_PEPPER: documented(optionalText, {
      value: 'text of 16 characters or more',
      unset: 'the embedded database has its own secret',
      description:
        'Secret for the hashes of API keys, the same on every replica. Required with DATABASE_URL. Generate it with: openssl rand -hex 32. To change it while old keys keep working, list both: 2:new,1:old',
    }),
    UPGRADE_BACKED_UP: documented(z.enum(['yes', 'no']).default('no'), {
      value: 'yes or no',
      description:
        'Whether there is a backup. A start upgrades the schema of version 0.2 only with yes. See "Upgrade" in docs/operations.md.',
    }),
  },
  Network: {
    HOST: documented(z.string().min(1).default('127.0.0.1'), {
      value: 'address',
      description: 'Address to listen on.',
    }),
    PORT: documented(
      z
        .string()
        .regex(/^\d{1,5}$/, portRange)
        .transform(Number)
        .refine((port) => port <= 65_535, portRange)
        .default(3000),
      { value: '0 to 65535', description: 'Port to listen on; 0 takes a free one.' },
    ),
    APP_URL: documented(rootUrl, {
      value: 'URL without a path',
      unset: 'the host of each request',
      description: 'Address at which people reach the service, for links and cookies.',
    }),
    APP_NAME: documented(optionalText, {
      value: 'text',
      unset: 'Meduyak',
      description: 'Name of the product on the pages, in the API description and for MCP clients.',
    }),
    TRUST_PROXY: documented(trustProxy.default(false), {
      value: 'addresses, ranges, or a number from 1 to 16',
      description:
        'Proxies whose X-Forwarded-* headers the service trusts, such as 127.0.0.1 for an nginx on the same machine. See "Behind a proxy" in docs/operations.md.',
    }),
    CORS_ORIGINS: documented(corsOrigins.default([]), {
      value: 'origins, separated by commas',
      description:
        'Origins whose pages may call the API, such as https://app.example.org. Keys do not belong in browsers: see docs/operations.md.',
    }),
    FILE_URL_HOSTS: documented(hostList.default([]), {
      value: 'host names, separated by commas',
      description:
        'Hosts from which `file_url` of a request may be fetched, such as files.example.org, with a port unless it is the default.',
    }),
    WEBHOOK_PRIVATE_ADDRESSES: documented(z.enum(['allow', 'refuse']).default('refuse'), {
      value: 'allow or refuse',
      description:
        'Whether webhook endpoints may be in private networks and without TLS. With sign-up open, allowing it lets strangers send requests into your network.',
    }),
    DRAIN_SECONDS: documented(z.coerce.number().int().min(0).max(3_600).default(25), {
      value: 'whole number from 0 to 3600',
      description:
        'After SIGTERM, open streams may continue for this long. See "Shutdown" in docs/operations.md.',
    }),
  },
  Model: {
    MODEL_BASE_URL: documented(httpUrl, {
      value: 'URL',
      unset: 'the built-in extractive model answers',
      description: 'Base URL of an OpenAI-compatible API, which usually ends in /v1.',
    }),
    MODEL_API_KEY: documented(optionalText, {
      value: 'text',
      unset: 'no key is sent',
      description: 'Key of that API.',
    }),
    MODEL_NAME: documented(optionalText, {
      value: 'text',
      unset: 'none',
      description: 'Name of the model at that API. Required with MODEL_BASE_URL.',
    }),
    MODELS_FILE: documented(optionalText, {
      value: 'file',
      unset: 'the only model is "service"',
      description: 'JSON file with more models and their prices, see docs/models.md.',
    }),
    INSTRUCTIONS_FILE: documented(optionalText, {
      value: 'file',
      unset: 'none',
      description:
        'Text file with instructions for the models, at most 20,000 characters. See docs/instructions.md.',
    }),
    MCP_SERVERS: documented(optionalText, {
      value: 'file',
      unset: 'none',
      description: 'JSON or YAML file with MCP servers whose tools the model may call, see docs/mcp.md.',
    }),
  },
  Moderation: {
    MODERATION_URL: documented(httpUrl, {
      value: 'URL',
      unset: 'nothing is moderated',
      description:
        'Base URL of an API with POST /moderations in the form of OpenAI, such as https://api.openai.com/v1. See "Moderation" in docs/operations.md.',
    }),
    MODERATION_API_KEY: documented(optionalText, {
      value: 'text',
      unset: 'no key is sent',
      description: 'Key of that API.',
    }),
    MODERATION_MODEL: documented(optionalText, {
      value: 'text',
      unset: 'that of the API',
      description: 'Name of the model at that API.',
    }),
    MODERATION_ON_FAILURE: documented(z.enum(['allow', 'refuse']).default('allow'), {
      value: 'allow or refuse',
      description: 'What becomes of a text when that API gives no verdict within 5 s.',
    }),
  },
  Library: {
    LIBRARY_EXPORT: documented(folderOrUrl, {
      value: 'folder or URL',
      unset: "Sefaria's public export",
      description:
        "Where collections come from: a folder with Sefaria's export, or the base URL of a mirror with its books.json.",
    }),
  },
  'Semantic search': {
    EMBEDDINGS_BASE_URL: documented(httpUrl, {
      value: 'URL',
      unset: 'the library is searched by words only, unless EMBEDDINGS_MODEL is local:…',
      description: 'Base URL of an API with POST /embeddings in the form of OpenAI. Then run: sources embed',
    }),
    EMBEDDINGS_API_KEY: documented(optionalText, {
      value: 'text',
      unset: 'no key is sent',
      description: 'Key of that API.',
    }),
    EMBEDDINGS_MODEL: documented(optionalText, {
      value: 'text',
      unset: 'none',
      description:
        'Name of the model at that API. Or local:ID, a model of the Hugging Face Hub that the service runs itself, or local:PATH, a folder with its files.',
    }),
    EMBEDDINGS_PRICE: documented(z.coerce.number().min(0).max(1_000).multipleOf(0.001).default(0.02), {
      value: 'a number from 0 to 1000 with at most three decimals',
      description: 'Credits for 1,000 tokens of POST /v1/embeddings, which passes texts on to this model.',
    }),
    HF_ENDPOINT: documented(httpUrl, {
      value: 'URL',
      unset: 'https://huggingface.co',
      description: 'Mirror of the Hugging Face Hub, from which EMBEDDINGS_MODEL=local:ID is downloaded.',
    }),
  },
  'Texts on demand': {
    LIBRARY_FALLBACK: documented(z.enum(['off', 'sefaria']).default('off'), {
      value: 'off or sefaria',
      description:
        'With sefaria, a text that the library does not hold is fetched from sefaria.org when somebody asks for it by its ref. See docs/importing.md.',
    }),
    LIBRARY_FALLBACK_URL: documented(httpUrl, {
      value: 'URL',
      unset: 'https://www.sefaria.org',
      description: 'Base URL of a mirror of the API of sefaria.org.',
    }),
    LIBRARY_FALLBACK_LICENSES: documented(fallbackLicenses.default([]), {
      value: 'cc-by-nc, unknown, or both, separated by commas',
      description:
        'Restricted licences under which fetched texts may be stored. Other texts with a restricted licence are only linked.',
    }),
  },
  ...ofAccounts,
  'Log, metrics and traces': {
    LOG_LEVEL: documented(
      z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
      {
        value: 'fatal, error, warn, info, debug, trace or silent',
        description: 'The least severe level that is logged.',
      },
    ),
    METRICS_TOKEN: documented(optionalText, {
      value: 'text',
      unset: '/metrics does not exist',
      description: 'Bearer token that /metrics requires.',
    }),
    OTEL_EXPORTER_OTLP_ENDPOINT: documented(httpUrl, {
      value: 'URL',
      unset: 'no traces are sent',
      description:
        'Base URL of an OTLP/HTTP receiver, such as an OpenTelemetry collector at http://127.0.0.1:4318.',
    }),
    OTEL_EXPORTER_OTLP_HEADERS: documented(otlpHeaders.optional(), {
      value: 'name=value, separated by commas',
      unset: 'none',
      description:
        'Headers for the receiver of traces, such as a token. Special characters of a value are percent-encoded. Used only with an endpoint.',
    }),
  },
} as const
