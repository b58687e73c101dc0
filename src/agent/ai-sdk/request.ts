import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import { isRecord } from '../json.ts'
import { CallFailure } from '../openai/failure.ts'
import type { ModelRequest, Sampling, ToolChoice } from '../provider.ts'
import { type PromptTarget, promptOf } from './prompt.ts'

type JsonObject = SharedV4ProviderOptions[string]
type Options = LanguageModelV4CallOptions

/** What the operator adds to each request. */
export type OwnOptions = {
  /** Options of the package, by its own names. */
  readonly body?: Readonly<Record<string, unknown>> | undefined
  /** Tokens that the model may spend on reasoning. */
  readonly budgetTokens?: number | undefined
}

/**
 * The options of a call of the AI SDK.
 * @throws CallFailure `rejected` if the request has something that cannot be sent.
 */
export function callOptions(
  request: ModelRequest,
  target: PromptTarget,
  own: OwnOptions,
  signal: AbortSignal,
): Options {
  const { sampling, tools, headers } = request
  const prompt = promptOf(request.messages, target)
  const thoughtless = target.api.thinkingStartsSteps === true && isThoughtlessStep(prompt)
  const reasons = own.budgetTokens !== undefined || sampling.reasoningEffort !== undefined
  const effort = thoughtless && reasons ? 'none' : sampling.reasoningEffort
  return {
    prompt,
    ...defined({
      maxOutputTokens: sampling.maxTokens,
      temperature: sampling.temperature,
      topP: sampling.topP,
      seed: sampling.seed,
      stopSequences: sampling.stop?.length ? [...sampling.stop] : undefined,
      reasoning: effort === undefined ? undefined : reasoningOf(effort),
      responseFormat: formatOf(sampling.responseFormat),
      headers: headers && { ...headers },
    }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function' as const,
        name,
        description,
        inputSchema: parameters,
      })),
      toolChoice: toolChoiceOf(request.toolChoice),
    }),
    providerOptions: {
      [target.api.options]: providerOptions(
        sampling,
        target,
        thoughtless ? { ...own, budgetTokens: undefined } : own,
      ),
    },
    abortSignal: signal,
  }
}

/** Whether the newest step has open calls and no thoughts. */
function isThoughtlessStep(prompt: LanguageModelV4Prompt): boolean {
  const step = prompt.findLast(({ role }) => role === 'assistant')
  if (prompt.at(-1)?.role !== 'tool' || step?.role !== 'assistant') return false
  return !step.content.some(({ type }) => type === 'reasoning')
}

type Defined<Given> = { [Name in keyof Given]: Exclude<Given[Name], undefined> }

function defined<Given extends object>(given: Given): Partial<Defined<Given>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as Partial<
    Defined<Given>
  >
}

const levels: ReadonlySet<string> = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

function reasoningOf(effort: string): NonNullable<Options['reasoning']> {
  if (levels.has(effort)) return effort as NonNullable<Options['reasoning']>
  const known = [...levels].join(', ')
  throw new CallFailure(
    'rejected',
    `The model does not know the reasoning effort "${effort}". Use one of: ${known}.`,
    {
      param: 'reasoning_effort',
    },
  )
}

type Format = Extract<NonNullable<Options['responseFormat']>, { type: 'json' }>

/** The schema's own part of `response_format: {type: "json_schema", json_schema: {…}}`. */
function schemaOf(format: Sampling['responseFormat']): Readonly<Record<string, unknown>> {
  const schema = format?.['json_schema']
  return isRecord(schema) ? schema : {}
}

function formatOf(format: Sampling['responseFormat']): Format | undefined {
  if (format === undefined || format['type'] === 'text') return undefined
  const { schema, name, description } = schemaOf(format)
  return {
    type: 'json',
    ...(isRecord(schema) && { schema }),
    ...(typeof name === 'string' && { name }),
    ...(typeof description === 'string' && { description }),
  }
}

function toolChoiceOf(choice: ToolChoice): NonNullable<Options['toolChoice']> {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', toolName: choice.name }
}

function providerOptions(
  { user, responseFormat }: Sampling,
  { api }: PromptTarget,
  { body, budgetTokens }: OwnOptions,
): JsonObject {
  const hasSchema = api.hasStrictSchemas && responseFormat?.['type'] === 'json_schema'
  return {
    ...api.always,
    ...(hasSchema && { strictJsonSchema: schemaOf(responseFormat)['strict'] === true }),
    ...(user !== undefined && api.user?.(user)),
    ...(budgetTokens !== undefined && api.budget?.(budgetTokens)),
    ...(body as JsonObject | undefined),
  }
}
