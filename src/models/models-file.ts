import { z } from 'zod'
import { type ApiName, apis } from '../agent/ai-sdk/apis.ts'
import { readSettingsFile } from '../settings-files/read-settings-file.ts'
import { fallbackConditions } from './fallback-provider.ts'

const apiNames = Object.keys(apis) as ApiName[]

/** A server for a model. */
const server = {
  /** Absent with `api` absent: the built-in extractive provider. */
  base_url: z
    .string()
    .regex(/^https?:\/\//)
    .optional(),
  /** The API that it speaks; default: OpenAI's chat completions. */
  api: z.enum(['openai', ...apiNames]).optional(),
  api_key: z.string().min(1).optional(),
  name: z.string().min(1).optional(),
  /** What clients and operators read as the name of the server; default: `name`. */
  label: z.string().min(1).max(100).optional(),
  /** Seconds within which the reply must begin; default: 60. */
  first_word_seconds: z.number().min(1).max(600).optional(),
  /** Extra request headers. */
  headers: z.record(z.string().regex(/^[\w!#$%&'*+.^`|~-]+$/, 'a header name'), z.string()).optional(),
  /** Extra members of each request; for APIs of the AI SDK, options of the package. */
  body: z.record(z.string(), z.json()).optional(),
  /** Amazon Bedrock: the AWS region. */
  region: z.string().min(1).optional(),
  /** Azure: the version of the API. */
  api_version: z.string().min(1).optional(),
}

const fallback = z.strictObject({
  ...server,
  /** The failures after which it is asked. */
  on: z
    .array(z.enum(fallbackConditions))
    .min(1)
    .default([...fallbackConditions]),
})

const credits = z.number().min(0).max(1_000_000)

/** Credits for 1,000 tokens, and for one tool call. */
const price = z
  .strictObject({
    input: credits.optional(),
    output: credits.optional(),
    tool_call: credits.optional(),
    /** Prices of single tools that differ from `tool_call`, by tool name. */
    tools: z.record(z.string(), credits).optional(),
    /** Prompt tokens that the upstream read from its cache, or wrote to it; default: as `input`. */
    cached_input: credits.optional(),
    cache_write: credits.optional(),
    /** Tokens of reasoning; default: as `output`. */
    reasoning: credits.optional(),
    /** Credits per unit of the cost that the upstream reports. */
    provider_cost: credits.optional(),
  })
  .superRefine((given, context) => {
    if (given.provider_cost !== undefined) return
    for (const name of ['input', 'output', 'tool_call'] as const)
      if (given[name] === undefined)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: 'a number is required without `provider_cost`',
        })
  })

/** How much the model reasons before it answers. */
const reasoning = z.union(
  [
    z.enum(['off', 'low', 'medium', 'high']),
    z.strictObject({ budget_tokens: z.number().int().min(1).max(1_000_000) }),
  ],
  { error: 'use off, low, medium, high, or {"budget_tokens": n}' },
)

const entry = z
  .strictObject({
    id: z.string().regex(/^[A-Za-z0-9._:-]{1,100}$/, 'letters, digits and . _ : - only'),
    ...server,
    /** Servers that are asked in this order when the one before fails. */
    fallbacks: z.array(fallback).max(5).default([]),
    /** The name that clients show; default: the id. */
    title: z.string().min(1).max(100).optional(),
    context_tokens: z.number().int().min(1_000).max(100_000_000).default(128_000),
    images: z.boolean().default(false),
    /** Default: only for the id `service-lite`. */
    lite: z.boolean().optional(),
    price: price.optional(),
    /** Sampling options of requests that have none themselves. */
    temperature: z.number().min(0).max(2).optional(),
    top_p: z.number().min(0).max(1).optional(),
    stop: z.array(z.string().min(1)).min(1).max(4).optional(),
    seed: z.number().int().optional(),
    reasoning: reasoning.optional(),
    /** Maximum tokens of a reply, also if a request asks for more. */
    max_output_tokens: z.number().int().min(1).max(10_000_000).optional(),
  })
  .superRefine((given, context) => {
    for (const { path, message } of faultsOf(given))
      context.addIssue({ code: 'custom', path: [...path], message })
  })

const file = z.strictObject({ models: z.array(entry).max(100) })

/** A model of the file. */
export type Entry = z.infer<typeof entry>
/** A server of a model. */
export type Server = Omit<z.infer<typeof fallback>, 'on'>

/** Whether the server is no server: the built-in model answers. */
export function isBuiltIn({ base_url: url, api }: Pick<Server, 'base_url' | 'api'>): boolean {
  return url === undefined && api === undefined
}

type Fault = { readonly path: readonly (string | number)[]; readonly message: string }

function faultsOf(given: Entry): readonly Fault[] {
  const faults: Fault[] = []
  if (isBuiltIn(given)) {
    const remedy = 'need a model with `base_url` or `api`: the built-in model'
    if (given.fallbacks.length > 0) faults.push({ path: ['fallbacks'], message: `${remedy} does not fail` })
    for (const name of modelOptions)
      if (given[name] !== undefined) faults.push({ path: [name], message: `${remedy} has no such option` })
  }
  const servers = [{ path: [] as readonly (string | number)[], one: given as Server }]
  for (const [index, one] of given.fallbacks.entries()) servers.push({ path: ['fallbacks', index], one })
  return [...faults, ...servers.flatMap(({ path, one }) => serverFaults(path, one, given))]
}

const modelOptions = ['temperature', 'top_p', 'stop', 'seed', 'reasoning', 'max_output_tokens'] as const

function serverFaults(path: Fault['path'], one: Server, { reasoning: asked }: Entry): readonly Fault[] {
  const { api = 'openai' } = one
  const faultOf = (name: keyof Server, message: string): Fault => ({ path: [...path, name], message })
  if (isBuiltIn(one)) {
    const given = requestOptions.filter((name) => one[name] !== undefined)
    return given.map((name) => faultOf(name, 'the built-in model sends no requests'))
  }
  const faults: Fault[] = []
  if (one.base_url === undefined && (api === 'openai' || api === 'azure'))
    faults.push(faultOf('base_url', `the API "${api}" needs the address of its server`))
  if (one.region !== undefined && api !== 'bedrock')
    faults.push(faultOf('region', 'only the API "bedrock" has regions'))
  if (one.api_version !== undefined && api !== 'azure')
    faults.push(faultOf('api_version', 'only the API "azure" has versions'))
  if (typeof asked === 'object' && (api === 'openai' || !apis[api].budget))
    faults.push({
      path: ['reasoning'],
      message: `the API "${api}" has levels only: use off, low, medium or high`,
    })
  return faults
}

const requestOptions = ['headers', 'body', 'region', 'api_version'] as const

/**
 * Reads the entries of `MODELS_FILE`.
 * @throws ConfigError that names the wrong field.
 */
export async function readModelsFile(path: string): Promise<Entry[]> {
  return (await readSettingsFile('MODELS_FILE', path, file)).models
}
