import { type Parameter, topLogprobs } from '../turn-request/parameters.ts'

const library = 'The agent searches its library, not the web'

/**
 * Every parameter of OpenAI's chat-completion request, and `x_service`. Each request is checked against this
 * list.
 */
export const chatParameters: readonly Parameter[] = [
  {
    name: 'model',
    does: 'honoured',
  },
  {
    name: 'messages',
    does: 'honoured',
  },
  {
    name: 'audio',
    does: 'refused',
    refuse: () => 'Audio is not supported, answers are text: leave `audio` out.',
  },
  { name: 'frequency_penalty', does: 'ignored' },
  { name: 'function_call', does: 'honoured' },
  { name: 'functions', does: 'honoured' },
  { name: 'logit_bias', does: 'ignored' },
  {
    name: 'logprobs',
    does: 'refused',
    refuse: (value) =>
      value === true
        ? 'Log probabilities are not available: leave `logprobs` out, or send false.'
        : undefined,
  },
  { name: 'max_completion_tokens', does: 'honoured' },
  { name: 'max_tokens', does: 'honoured' },
  {
    name: 'metadata',
    does: 'honoured',
  },
  {
    name: 'modalities',
    does: 'refused',
    refuse: (value) =>
      Array.isArray(value) && value.every((one) => one === 'text')
        ? undefined
        : 'Only text is supported, answers are text: leave `modalities` out, or send ["text"].',
  },
  {
    name: 'moderation',
    does: 'refused',
    refuse: () => 'Requests cannot choose a moderation: leave `moderation` out.',
  },
  {
    name: 'n',
    does: 'refused',
    refuse: (value) =>
      value === 1 ? undefined : 'Only one answer a request is supported: leave `n` out or send 1.',
  },
  { name: 'parallel_tool_calls', does: 'ignored' },
  { name: 'prediction', does: 'ignored' },
  { name: 'presence_penalty', does: 'ignored' },
  { name: 'prompt_cache_key', does: 'ignored' },
  { name: 'prompt_cache_options', does: 'ignored' },
  { name: 'prompt_cache_retention', does: 'ignored' },
  { name: 'reasoning_effort', does: 'honoured' },
  {
    name: 'response_format',
    does: 'honoured',
  },
  { name: 'safety_identifier', does: 'ignored' },
  { name: 'seed', does: 'honoured' },
  { name: 'service_tier', does: 'ignored' },
  { name: 'stop', does: 'honoured' },
  { name: 'store', does: 'ignored' },
  { name: 'stream', does: 'honoured' },
  { name: 'stream_options', does: 'honoured' },
  { name: 'temperature', does: 'honoured' },
  {
    name: 'tool_choice',
    does: 'honoured',
  },
  { name: 'tools', does: 'honoured' },
  topLogprobs,
  { name: 'top_p', does: 'honoured' },
  { name: 'user', does: 'honoured' },
  { name: 'verbosity', does: 'ignored' },
  {
    name: 'web_search_options',
    does: 'refused',
    refuse: () => `${library}: leave \`web_search_options\` out.`,
  },
  { name: 'x_service', does: 'honoured' },
]
