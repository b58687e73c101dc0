import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider'

/** Where and how a model is reached through a package of the AI SDK. */
export type ApiConnection = {
  readonly model: string
  /** Undefined: the address of the provider itself. */
  readonly baseUrl: string | undefined
  /** Undefined: the package reads the provider's usual environment variable. */
  readonly apiKey: string | undefined
  /** Extra request headers. */
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  /** Amazon Bedrock: the AWS region. */
  readonly region: string | undefined
  /** Azure: the version of the API; undefined: `v1`. */
  readonly apiVersion: string | undefined
}

type JsonObject = SharedV4ProviderOptions[string]

/** An API that a package of the AI SDK speaks. */
export type Api = {
  readonly package: string
  /** The name of its options in `providerOptions`. */
  readonly options: string
  /** Environment variables of which one must be set if there is no key. Empty: the package has its own rules. */
  readonly keyVariables: readonly string[]
  /** Imports the package and opens the model. */
  readonly open: (connection: ApiConnection) => Promise<LanguageModelV4>
  /** Options of each request. */
  readonly always?: JsonObject
  /** The options for a budget of reasoning tokens. Absent: the API has only levels. */
  readonly budget?: (tokens: number) => JsonObject
  /** The options for the name of the end user. */
  readonly user?: (user: string) => JsonObject
  /** Whether `strictJsonSchema` says if the reply must follow the schema strictly. */
  readonly hasStrictSchemas?: boolean
  /** Whether results of tools may have images. Otherwise they follow in a message of the user. */
  readonly imagesInResults?: boolean
  /** The options that mark the end of a prefix for the upstream's cache. Absent: the upstream caches by itself. */
  readonly cacheMark?: (model: string) => SharedV4ProviderOptions | undefined
  /**
   * While a step with calls is open, the API refuses thinking unless the step began with thoughts. Steps of other models, and
   * those that the service makes itself, have none.
   */
  readonly thinkingStartsSteps?: boolean
  /** Whether the API refuses a message of the user right behind results of tools. A short reply then stands between them. */
  readonly repliesToResults?: boolean
  /** Whether a step with calls has reasoning, if need be an empty one. */
  readonly reasoningInSteps?: boolean
  /** The options of a call that the upstream did not make. */
  readonly foreignCall?: (model: string) => SharedV4ProviderOptions | undefined
}

/** The members that the packages' factories share. Undefined ones are left out, because some packages take them literally. */
function common({ baseUrl, apiKey, headers, fetch }: ApiConnection) {
  return {
    headers: { ...headers },
    fetch,
    ...(baseUrl !== undefined && { baseURL: baseUrl }),
    ...(apiKey !== undefined && { apiKey }),
  }
}

/** Nothing is stored at the provider, so encrypted reasoning travels with the conversation. */
const unstored: JsonObject = { store: false }

/** Ids of Gemini models before the third generation, which know no thought signatures. */
const isEarlyGemini = (model: string): boolean => /gemini-[12]\b/.test(model)

type Derived = 'package' | 'options' | 'keyVariables'

/** What follows from the name of the API may be left out. */
type Entry = Omit<Api, Derived> & Partial<Pick<Api, Derived>>

const entries = {
  'openai-responses': {
    package: '@ai-sdk/openai',
    options: 'openai',
    keyVariables: ['OPENAI_API_KEY'],
    open: async (to) => (await import('@ai-sdk/openai')).createOpenAI(common(to)).responses(to.model),
    always: unstored,
    user: (user) => ({ user }),
    hasStrictSchemas: true,
    imagesInResults: true,
  },
  anthropic: {
    open: async (to) => (await import('@ai-sdk/anthropic')).createAnthropic(common(to))(to.model),
    budget: (budgetTokens) => ({ thinking: { type: 'enabled', budgetTokens } }),
    user: (userId) => ({ metadata: { userId } }),
    thinkingStartsSteps: true,
    imagesInResults: true,
    cacheMark: () => ({ anthropic: { cacheControl: { type: 'ephemeral' } } }),
  },
  google: {
    keyVariables: ['GOOGLE_GENERATIVE_AI_API_KEY'],
    open: async (to) => (await import('@ai-sdk/google')).createGoogle(common(to))(to.model),
    budget: (thinkingBudget) => ({ thinkingConfig: { thinkingBudget } }),
    imagesInResults: true,
    // The placeholder for calls that Gemini did not make: ai.google.dev/gemini-api/docs/thought-signatures.
    foreignCall: (model) =>
      isEarlyGemini(model) ? undefined : { google: { thoughtSignature: 'skip_thought_signature_validator' } },
  },
  mistral: {
    open: async (to) => (await import('@ai-sdk/mistral')).createMistral(common(to))(to.model),
    repliesToResults: true,
    hasStrictSchemas: true,
  },
  bedrock: {
    package: '@ai-sdk/amazon-bedrock',
    options: 'amazonBedrock',
    keyVariables: ['AWS_BEARER_TOKEN_BEDROCK', 'AWS_ACCESS_KEY_ID'],
    open: async (to) => {
      const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
      return createAmazonBedrock({ ...common(to), ...(to.region !== undefined && { region: to.region }) })(
        to.model,
      )
    },
    budget: (budgetTokens) => ({ reasoningConfig: { type: 'enabled', budgetTokens } }),
    thinkingStartsSteps: true,
    imagesInResults: true,
    // Other models of Bedrock refuse the mark.
    cacheMark: (model) =>
      model.includes('anthropic.') ? { amazonBedrock: { cachePoint: { type: 'default' } } } : undefined,
  },
  azure: {
    open: async (to) => {
      const { createAzure } = await import('@ai-sdk/azure')
      return createAzure({
        ...common(to),
        ...(to.apiVersion !== undefined && { apiVersion: to.apiVersion }),
      })(to.model)
    },
    always: unstored,
    user: (user) => ({ user }),
    hasStrictSchemas: true,
    imagesInResults: true,
  },
  deepseek: {
    open: async (to) => (await import('@ai-sdk/deepseek')).createDeepSeek(common(to))(to.model),
    reasoningInSteps: true,
    hasStrictSchemas: true,
  },
  xai: {
    open: async (to) => (await import('@ai-sdk/xai')).createXai(common(to))(to.model),
    always: unstored,
    imagesInResults: true,
  },
  groq: {
    open: async (to) => (await import('@ai-sdk/groq')).createGroq(common(to))(to.model),
    hasStrictSchemas: true,
  },
  cohere: {
    open: async (to) => (await import('@ai-sdk/cohere')).createCohere(common(to))(to.model),
    budget: (tokenBudget) => ({ thinking: { type: 'enabled', tokenBudget } }),
  },
} as const satisfies Readonly<Record<string, Entry>>

export type ApiName = keyof typeof entries

const whole = ([name, entry]: [string, Entry]): [string, Api] => [
  name,
  { package: `@ai-sdk/${name}`, options: name, keyVariables: [`${name.toUpperCase()}_API_KEY`], ...entry },
]

/** The APIs of `MODELS_FILE` besides `openai`. */
export const apis = Object.fromEntries(Object.entries(entries).map(whole)) as Readonly<Record<ApiName, Api>>
