import { type Parameter, topLogprobs } from '../../turn-request/parameters.ts'

/**
 * Every parameter of OpenAI's request for a response, and `x_service`. Each request is checked against this
 * list.
 */
export const responsesParameters: readonly Parameter[] = [
  {
    name: 'model',
    does: 'honoured',
  },
  { name: 'input', does: 'honoured' },
  { name: 'access_programs', does: 'ignored' },
  { name: 'background', does: 'honoured' },
  { name: 'context_management', does: 'ignored' },
  {
    name: 'conversation',
    does: 'honoured',
  },
  { name: 'image', does: 'ignored' },
  {
    name: 'include',
    does: 'refused',
    refuse: (value) =>
      Array.isArray(value) && value.includes('message.output_text.logprobs')
        ? 'Log probabilities are not available: leave them out of `include`.'
        : undefined,
  },
  { name: 'instructions', does: 'honoured' },
  { name: 'max_output_tokens', does: 'honoured' },
  { name: 'max_tool_calls', does: 'ignored' },
  { name: 'metadata', does: 'honoured' },
  {
    name: 'moderation',
    does: 'refused',
    refuse: () => 'Requests cannot choose a moderation: leave `moderation` out.',
  },
  { name: 'parallel_tool_calls', does: 'ignored' },
  { name: 'previous_response_id', does: 'honoured' },
  {
    name: 'prompt',
    does: 'refused',
    refuse: () => 'Stored prompts are not supported: use `instructions` and `input`.',
  },
  { name: 'prompt_cache_key', does: 'ignored' },
  { name: 'prompt_cache_options', does: 'ignored' },
  { name: 'prompt_cache_retention', does: 'ignored' },
  {
    name: 'reasoning',
    does: 'honoured',
  },
  { name: 'safety_identifier', does: 'ignored' },
  { name: 'service_tier', does: 'ignored' },
  { name: 'store', does: 'honoured' },
  { name: 'stream', does: 'honoured' },
  { name: 'stream_options', does: 'ignored' },
  { name: 'temperature', does: 'honoured' },
  {
    name: 'text',
    does: 'honoured',
  },
  {
    name: 'tool_choice',
    does: 'honoured',
  },
  {
    name: 'tools',
    does: 'honoured',
  },
  topLogprobs,
  { name: 'top_p', does: 'honoured' },
  { name: 'truncation', does: 'ignored' },
  { name: 'user', does: 'honoured' },
  { name: 'x_service', does: 'honoured' },
]
