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
    note: 'required, unless the key has a [default](keys.md#defaults-of-a-key)',
  },
  {
    name: 'messages',
    does: 'honoured',
    note: 'required; up to 1,000, of all roles; images where the model reads them',
  },
  {
    name: 'audio',
    does: 'refused',
    refuse: () => 'Audio is not supported, answers are text: leave `audio` out.',
  },
  { name: 'frequency_penalty', does: 'ignored' },
  { name: 'function_call', does: 'honoured', note: 'the older form of `tool_choice`' },
  { name: 'functions', does: 'honoured', note: 'the older form of `tools`; ignored beside `tools`' },
  { name: 'logit_bias', does: 'ignored' },
  {
    name: 'logprobs',
    does: 'refused',
    note: '`false` is accepted',
    refuse: (value) =>
      value === true
        ? 'Log probabilities are not available: leave `logprobs` out, or send false.'
        : undefined,
  },
  { name: 'max_completion_tokens', does: 'honoured', note: 'for each call of the model; -1 is no limit' },
  { name: 'max_tokens', does: 'honoured', note: 'the older name of `max_completion_tokens`' },
  {
    name: 'metadata',
    does: 'honoured',
    note: 'can carry the options of the service; other entries are ignored',
  },
  {
    name: 'modalities',
    does: 'refused',
    note: '`["text"]` is accepted',
    refuse: (value) =>
      Array.isArray(value) && value.every((one) => one === 'text')
        ? undefined
        : 'Only text is supported, answers are text: leave `modalities` out, or send ["text"].',
  },
  {
    name: 'moderation',
    does: 'refused',
    refuse: () => 'Nothing is moderated here: leave `moderation` out, and moderate on your side.',
  },
  {
    name: 'n',
    does: 'refused',
    note: '1 is accepted',
    refuse: (value) =>
      value === 1 ? undefined : 'Only one answer a request is supported: leave `n` out or send 1.',
  },
  { name: 'parallel_tool_calls', does: 'ignored', note: 'a reply can have several calls' },
  { name: 'prediction', does: 'ignored' },
  { name: 'presence_penalty', does: 'ignored' },
  { name: 'prompt_cache_key', does: 'ignored' },
  { name: 'prompt_cache_options', does: 'ignored' },
  { name: 'prompt_cache_retention', does: 'ignored' },
  { name: 'reasoning_effort', does: 'honoured', note: 'passed on as it is' },
  {
    name: 'response_format',
    does: 'honoured',
    note: '`text`, `json_object`, `json_schema`: see [below](#answers-as-json)',
  },
  { name: 'safety_identifier', does: 'ignored' },
  { name: 'seed', does: 'honoured', note: 'depends on the model; search results change with the library' },
  { name: 'service_tier', does: 'ignored' },
  { name: 'stop', does: 'honoured', note: 'up to four' },
  { name: 'store', does: 'ignored', note: 'every turn is stored in its session, which can be deleted' },
  { name: 'stream', does: 'honoured' },
  { name: 'stream_options', does: 'honoured', note: '`include_usage`; other members are ignored' },
  { name: 'temperature', does: 'honoured', note: '0 to 2' },
  {
    name: 'tool_choice',
    does: 'honoured',
    note: 'applies to your own tools; `allowed_tools` restricts them',
  },
  { name: 'tools', does: 'honoured', note: 'up to 128 of type `function`; other types are ignored' },
  topLogprobs,
  { name: 'top_p', does: 'honoured', note: '0 to 1' },
  { name: 'user', does: 'honoured', note: 'passed on to the model’s API; up to 512 characters' },
  { name: 'verbosity', does: 'ignored' },
  {
    name: 'web_search_options',
    does: 'refused',
    refuse: () => `${library}: leave \`web_search_options\` out.`,
  },
  { name: 'x_service', does: 'honoured', note: 'the options of the service' },
]
