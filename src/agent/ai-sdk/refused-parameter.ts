import { answerFormatNames, namesParameter, sizeComplaint } from '../openai/refusal-wording.ts'
import type { ModelRequest, Sampling } from '../provider.ts'

/** A parameter of the client. */
type Parameter = {
  /** As clients name it. */
  readonly name: string
  /** As upstreams and packages name it. */
  readonly words: readonly string[]
  readonly isSent: (request: ModelRequest) => boolean
  /** The request without it. Absent: the parameter cannot be left out. */
  readonly without?: (request: ModelRequest) => ModelRequest
}

function ofSampling(name: string, member: keyof Sampling, ...words: readonly string[]): Parameter {
  return {
    name,
    words: [name, member, ...words],
    isSent: ({ sampling }) => sampling[member] !== undefined,
    without: (request) => {
      const { [member]: _left, ...sampling } = request.sampling
      return { ...request, sampling }
    },
  }
}

const parameters: readonly Parameter[] = [
  ofSampling('temperature', 'temperature'),
  ofSampling('top_p', 'topP', 'p'),
  ofSampling('stop', 'stop', 'stop_sequences', 'stopSequences'),
  ofSampling('seed', 'seed', 'random_seed'),
  ofSampling(
    'reasoning_effort',
    'reasoningEffort',
    'reasoning',
    'thinking',
    'thinkingConfig',
    'thinking_level',
  ),
  ofSampling(
    'response_format',
    'responseFormat',
    'text.format',
    'output_config',
    'responseJsonSchema',
    'responseMimeType',
    ...answerFormatNames,
  ),
  ofSampling('user', 'user', 'metadata'),
  {
    name: 'tool_choice',
    words: ['tool_choice', 'toolChoice', 'toolConfig', 'tool_config'],
    isSent: ({ tools, toolChoice }) => tools.length > 0 && toolChoice !== 'auto',
    without: (request) => ({ ...request, toolChoice: 'auto' }),
  },
  {
    name: 'max_tokens',
    words: ['max_tokens', 'max_output_tokens', 'maxOutputTokens', 'max_completion_tokens', 'maxTokens'],
    isSent: ({ sampling }) => sampling.maxTokens !== undefined,
  },
]

/**
 * The parameter of the client that an upstream's refusal names, as clients name it.
 * @param text the body of the refusal.
 */
export function refusedParameter(text: string, request: ModelRequest): string | undefined {
  const said = text.replaceAll('\\', '')
  const isNamed = ({ words }: Parameter) => words.some((word) => namesParameter(said, word))
  return parameters.find((one) => one.isSent(request) && isNamed(one))?.name
}

/** The parameter of the client that a package calls by this name. */
export function parameterOf(feature: string): string | undefined {
  return parameters.find(({ words }) => words.includes(feature))?.name
}

/** Whether the request may be made without the parameter. A value outside of a range is the client's to mend. */
export function canLeaveOut(name: string, text: string): boolean {
  return parameters.some((one) => one.name === name && one.without) && !sizeComplaint.test(text)
}

/** The request without these parameters, and which of them it had. */
export function requestWithout(
  request: ModelRequest,
  names: ReadonlySet<string>,
): { readonly request: ModelRequest; readonly leftOut: readonly string[] } {
  const left = parameters.filter((one) => names.has(one.name) && one.isSent(request))
  return {
    request: left.reduce((rest, { without }) => without?.(rest) ?? rest, request),
    leftOut: left.map(({ name }) => name),
  }
}
