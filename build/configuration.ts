/** `npm run docs:configuration`: writes `docs/configuration.md` and `.env.example` from the settings in `src/setting-values/settings.ts`. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { secretSettings } from '../src/environment.ts'
import type { Documented } from '../src/setting-values/documented.ts'
import { settings } from '../src/setting-values/settings.ts'

type Listed = {
  readonly name: string
  readonly value: string
  readonly standard: string
  readonly description: string
}

/** Variables that Compose reads from the same file. */
const readByCompose: readonly Listed[] = (
  [
    ['POSTGRES_PASSWORD', 'text', 'none: Compose requires it', "Password of the database's superuser."],
    [
      ...['SERVICE_DB_PASSWORD', 'letters and digits', 'none: Compose requires it'],
      'Password of the role that the service connects as. It becomes part of a URL.',
    ],
    [
      ...['SERVICE_KEY_PEPPER', 'text of 16 characters or more', 'KEY_PEPPER'],
      'KEY_PEPPER inside Compose. Set it if npm start has already created keys with another KEY_PEPPER from the same file.',
    ],
    ['SERVICE_MEMORY', 'size such as 2g', '2g', 'Memory limit of the container of the service.'],
    ['POSTGRES_MEMORY', 'size such as 2g', '2g', 'Memory limit of the container of Postgres.'],
    [
      ...['POSTGRES_SHARED_BUFFERS', 'size such as 512MB', '512MB'],
      'shared_buffers of Postgres: a quarter of POSTGRES_MEMORY.',
    ],
  ] as readonly (readonly string[])[]
).map(([name = '', value = '', standard = '', description = '']) => ({ name, value, standard, description }))

const groups: readonly (readonly [string, readonly Listed[]])[] = [
  ...(Object.keys(settings) as (keyof typeof settings)[]).map((group) => [group, settingsOf(group)] as const),
  ['Only for docker-compose.yml', readByCompose],
]

/** The page `docs/configuration.md` as Markdown. */
export function configurationPage(): string {
  const tables = groups.map(([group, listed]) => {
    const rows = listed.map(
      ({ name, value, standard, description }) =>
        `- \`${name}\` (${value}${standard === 'none' ? '' : `; default: ${standard}`}): ${description}`,
    )
    return [`## ${group}`, '', ...rows].join('\n')
  })
  return `${[
    '# Configuration',
    'The service reads its settings from environment variables, and `npm start` also from a file `.env` in the current folder: copy `.env.example` and keep what you need. Every setting is optional, and an empty one counts as unset. A wrong value stops the start.',
    `A secret can also come from a file, as Docker and Kubernetes mount them: \`KEY_PEPPER_FILE=/run/secrets/pepper\`. So can ${secretSettings
      .filter((name) => name !== 'KEY_PEPPER')
      .map((name) => `\`${name}\``)
      .join(', ')}.`,
    ...tables,
  ].join('\n\n')}\n`
}

/** The text of `.env.example`. */
export function exampleFile(): string {
  const parts = groups.map(([group, listed]) => {
    const rule = `# --- ${group} `.padEnd(100, '-')
    return [
      rule,
      ...listed.flatMap(({ name, standard, description }) => [
        ...wrapped(`${description}${/[.!?]$/.test(description) ? '' : '.'} Default: ${standard}`),
        `${name}=`,
      ]),
    ].join('\n')
  })
  return `# Copy to .env and keep what you need. Every setting is optional; an empty one counts as unset.\n\n${parts.join('\n\n')}\n`
}

/** A comment, wrapped at 120 characters. */
function wrapped(text: string): readonly string[] {
  const lines: string[] = ['#']
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? ''
    if (last.length + word.length + 1 > 120) lines.push(`# ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

if (import.meta.main) {
  const root = path.join(import.meta.dirname, '..')
  await writeFile(path.join(root, 'docs/configuration.md'), configurationPage())
  await writeFile(path.join(root, '.env.example'), exampleFile())
}

/** A setting as the documentation shows it. */
type SettingAbout = Documented & { readonly name: string }

/** The settings of a group, with their defaults in words. */
function settingsOf(group: keyof typeof settings): readonly (SettingAbout & { readonly standard: string })[] {
  return Object.entries(settings[group]).map(([name, schema]) => {
    const about = z.globalRegistry.get(schema) as Documented
    return { name, ...about, standard: about.unset ?? standardOf(schema.parse(undefined)) }
  })
}

function standardOf(value: unknown): string {
  return value === false || (Array.isArray(value) && value.length === 0) ? 'none' : String(value)
}
