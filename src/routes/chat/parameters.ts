import { honoured, ignored, type Parameter, refused, topLogprobs } from '../turn-request/parameters.ts'

const library = 'The agent searches its library, not the web'

/**
 * Every parameter of OpenAI's chat-completion request, and `x_service`. Each request is checked against this
 * list.
 */
export const chatParameters: readonly Parameter[] = [
  ...honoured(`model messages function_call functions max_completion_tokens max_tokens metadata
    reasoning_effort response_format seed stop stream stream_options temperature tool_choice tools
    top_p user x_service`),
  ...ignored(`frequency_penalty logit_bias parallel_tool_calls prediction presence_penalty prompt_cache_key
    prompt_cache_options prompt_cache_retention safety_identifier service_tier store verbosity`),
  refused('audio', () => 'Audio is not supported, answers are text: leave `audio` out.'),
  refused('logprobs', (value) =>
    value === true ? 'Log probabilities are not available: leave `logprobs` out, or send false.' : undefined,
  ),
  refused('modalities', (value) =>
    Array.isArray(value) && value.every((one) => one === 'text')
      ? undefined
      : 'Only text is supported, answers are text: leave `modalities` out, or send ["text"].',
  ),
  refused('moderation', () => 'Requests cannot choose a moderation: leave `moderation` out.'),
  refused('n', (value) =>
    value === 1 ? undefined : 'Only one answer a request is supported: leave `n` out or send 1.',
  ),
  refused('web_search_options', () => `${library}: leave \`web_search_options\` out.`),
  topLogprobs,
]
