import { z } from 'zod'
import { type NearName, nearNames } from './setting-values/near-names.ts'
import { type Documented, settings } from './setting-values/settings.ts'

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
