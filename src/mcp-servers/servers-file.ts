import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { microsPerCredit } from '../billing/credits.ts'
import { type Config, ConfigError } from '../config.ts'
import { messageOf } from '../errors.ts'
import { parseYaml } from '../settings-files/parse-yaml.ts'

/** One outside server, as the operator describes it. */
export type ServerEntry = {
  /** Prefix of the names of its tools: `name__tool`. */
  readonly name: string
  /** An address, or a program that the service starts and that speaks over its input and output. */
  readonly at: ServerPlace
  /** Names of the tools that turns get, or all. */
  readonly tools: '*' | readonly string[]
  readonly timeoutMs: number
  /** Maximum UTF-8 bytes of a result's text. */
  readonly maxResultBytes: number
  /** Plans whose turns get the tools. Undefined: every plan. */
  readonly plans: readonly string[] | undefined
  /** Price of one call. Undefined: the model's price of a tool call. */
  readonly priceMicros: bigint | undefined
}

/** `headers` of each request and `env` of the process hold secrets: never logged. */
export type ServerPlace =
  | { readonly kind: 'http'; readonly url: string; readonly headers: Readonly<Record<string, string>> }
  | {
      readonly kind: 'process'
      readonly command: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string>>
    }

const headerName = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/
const variable = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g

const entry = z.strictObject({
  // The tool's name follows after two underscores, so a name that holds two would be ambiguous.
  name: z
    .string()
    .regex(
      /^(?!.*__)[A-Za-z0-9][A-Za-z0-9_]{0,31}(?<!_)$/,
      'must be at most 32 letters, digits and single _, with a letter or digit at both ends',
    ),
  url: z
    .string()
    .refine(
      (text) => /^https?:\/\//.test(text) && URL.canParse(text),
      'must be a URL that starts with http:// or https://',
    )
    .refine(
      (text) => !URL.canParse(text) || new URL(text).username === '',
      'must not hold a user name: put credentials into headers',
    )
    .optional(),
  headers: z
    .record(z.string().regex(headerName, 'is no name of an HTTP header'), z.string().max(8_192))
    .default({}),
  command: z.string().min(1).max(4_096).optional(),
  args: z.array(z.string().max(8_192)).max(100).default([]),
  env: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is no name of a variable'), z.string().max(8_192))
    .default({}),
  tools: z.union([z.literal('*'), z.array(z.string().min(1).max(128)).min(1).max(64)], {
    error: 'must be a list of names of tools, or "*" for all',
  }),
  timeout_seconds: z.number().min(1).max(120).default(20),
  max_result_bytes: z
    .int()
    .min(256)
    .max(200_000)
    .default(24 * 1024),
  plans: z.array(z.string()).min(1).optional(),
  price_credits: z.number().min(0).max(1_000_000).optional(),
})

const file = z.strictObject({
  servers: z
    .array(entry)
    .max(20)
    .refine(
      (servers) => new Set(servers.map(({ name }) => name)).size === servers.length,
      'each server needs another name',
    ),
})

/**
 * Reads the file of `MCP_SERVERS`, JSON or YAML. `${NAME}` in a header or in `env` stands for a variable of the environment.
 * @throws ConfigError that names the file, the field and the remedy. It quotes nothing of the file's values.
 */
export async function readServersFile(
  config: NonNullable<Config['mcpServers']>,
): Promise<readonly ServerEntry[]> {
  try {
    const parsed = file.safeParse(parseYaml(await readFile(config.file, 'utf8')))
    if (parsed.success) return parsed.data.servers.map((server, n) => entryOf(server, n, config.variable))
    const issue = parsed.error.issues[0]
    throw new Error(`${issue?.path.join('.') || 'the file'}: ${issue?.message}`)
  } catch (error) {
    throw new ConfigError(
      `MCP_SERVERS ${config.file} cannot be used: ${messageOf(error)}. See "Tools of other servers" in docs/mcp.md.`,
    )
  }
}

/**
 * Checks the plans that the file names.
 * @throws ConfigError for an unknown plan.
 */
export function requirePlans(servers: readonly ServerEntry[], names: readonly string[]): void {
  for (const { name, plans } of servers) {
    const unknown = plans?.find((plan) => !names.includes(plan))
    if (unknown !== undefined)
      throw new ConfigError(
        `MCP_SERVERS gives the tools of "${name}" to the plan "${unknown}", which does not exist. Use: ${names.join(', ')}.`,
      )
  }
}

function entryOf(
  server: z.infer<typeof entry>,
  index: number,
  value: (name: string) => string | undefined,
): ServerEntry {
  const { price_credits: price } = server
  return {
    name: server.name,
    at: placeOf(server, `servers.${index}`, value),
    tools: server.tools,
    timeoutMs: server.timeout_seconds * 1_000,
    maxResultBytes: server.max_result_bytes,
    plans: server.plans,
    priceMicros: price === undefined ? undefined : BigInt(Math.round(price * Number(microsPerCredit))),
  }
}

function placeOf(
  { url, headers, command, args, env }: z.infer<typeof entry>,
  path: string,
  value: (name: string) => string | undefined,
): ServerPlace {
  if ((url === undefined) === (command === undefined))
    throw new Error(`${path}: needs either "url" or "command"`)
  if (command !== undefined) {
    if (Object.keys(headers).length > 0)
      throw new Error(`${path}.headers: only a server with "url" has headers`)
    return { kind: 'process', command, args, env: filled(env, `${path}.env`, value) }
  }
  if (args.length > 0 || Object.keys(env).length > 0)
    throw new Error(`${path}: only a server with "command" has "args" and "env"`)
  const all = filled(headers, `${path}.headers`, value)
  // Node refuses such a header with a message that quotes it.
  const odd = Object.keys(all).find((name) => /[^\t\x20-\x7e]/.test(all[name] ?? ''))
  if (odd !== undefined)
    throw new Error(`${path}.headers.${odd}: must be printable ASCII characters on one line`)
  return { kind: 'http', url: url ?? '', headers: all }
}

/** Texts with their variables of the environment. */
function filled(
  texts: Readonly<Record<string, string>>,
  path: string,
  value: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  const fill = (name: string, text: string) =>
    text.replace(variable, (_, wanted: string) => {
      const found = value(wanted)
      if (found) return found
      throw new Error(`${path}.${name}: the environment has no ${wanted}. Set it, or remove it there`)
    })
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(name, text)]))
}
