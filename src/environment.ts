import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import type { Documented } from './setting-values/documented.ts'
import { type NearName, nearNames } from './setting-values/near-names.ts'
import { settings } from './setting-values/settings.ts'

/** The schema of the environment. */
export const environment = z.object({
  ...settings.Database,
  ...settings.Network,
  ...settings.Model,
  ...settings.Moderation,
  ...settings.Library,
  ...settings['Semantic search'],
  ...settings['Texts on demand'],
  ...settings.Files,
  ...settings.Accounts,
  ...settings['Sign-in'],
  ...settings.Mail,
  ...settings['Log, metrics and traces'],
})

/** Settings with a secret: `NAME_FILE` names a file that has the value. */
export const secretSettings = [
  'DATABASE_URL',
  'MIGRATE_DATABASE_URL',
  'LIBRARY_DATABASE_URL',
  'KEY_PEPPER',
  'MODEL_API_KEY',
  'MODERATION_API_KEY',
  'EMBEDDINGS_API_KEY',
  'FILES_SECRET_ACCESS_KEY',
  'SMTP_URL',
  'METRICS_TOKEN',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const satisfies readonly (keyof typeof environment.shape)[]

/** Variables whose names are nearly that of a setting, each with that name. */
export function misspeltSettings(names: readonly string[]): readonly NearName[] {
  return nearNames(names, [
    ...Object.keys(environment.shape),
    ...secretSettings.map((name) => `${name}_FILE`),
  ])
}

/** The accepted values of a setting, in words. */
export function acceptedValue(name: string): string | undefined {
  const byName: Readonly<Record<string, z.ZodType>> = environment.shape
  const schema = Object.hasOwn(byName, name) ? byName[name] : undefined
  return schema && (z.globalRegistry.get(schema) as Documented).value
}

/** An unusable setting. The message names it and the remedy. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * Adds the settings of a file `.env` to the environment, if there is one.
 * @throws ConfigError if it cannot be read.
 */
export function loadSettingsFile(file = '.env'): void {
  if (!existsSync(file)) return
  try {
    // Node's own error for a file without read permission says that it does not exist.
    accessSync(file, constants.R_OK)
    process.loadEnvFile(file)
  } catch (error) {
    throw new ConfigError(
      `The settings in ${path.resolve(file)} cannot be read. Make it a file that this user may read. (${(error as Error).message})`,
    )
  }
}

/** Adds the secrets whose files are named, as Docker and Kubernetes mount them. */
export function withSecretFiles(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string | undefined>> {
  const read = secretSettings.flatMap((name) => {
    const file = env[`${name}_FILE`]
    if (file === undefined) return []
    if (env[name] !== undefined) throw new ConfigError(`${name} and ${name}_FILE are both set. Remove one.`)
    try {
      return [[name, readFileSync(file, 'utf8').trim()]]
    } catch (error) {
      throw new ConfigError(
        `${name}_FILE ${file} cannot be read. Name a file that this user may read. (${(error as Error).message})`,
      )
    }
  })
  return { ...env, ...Object.fromEntries(read) }
}

type Issue = z.core.$ZodIssue | undefined

/** Checks with a message of their own have these codes. The text of others is for programmers. */
const ownMessages: ReadonlySet<string | undefined> = new Set(['custom', 'invalid_format'])

/** Why a setting is refused, in one sentence. */
export function refusalOf(issue: Issue, env: Readonly<Record<string, string | undefined>>): string {
  const name = String(issue?.path[0])
  const why = ownMessages.has(issue?.code) ? issue?.message : `must be ${acceptedValue(name)}`
  // `docker run --env-file` passes quotation marks on, which a shell would remove.
  const quoted = /^(["']).*\1$/s.test(env[name] ?? '')
  return `The setting ${name} is wrong: ${why}.${quoted ? ' Remove the quotation marks around it.' : ''}`
}
