import { type Parameter, topLogprobs } from '../../turn-request/parameters.ts'

/**
 * Every parameter of OpenAI's request for a response, and `x_service`. Each request is checked against this
 * list.
 */
export const responsesParameters: readonly Parameter[] = [
  {
    name: 'model',
    does: 'honoured',
    note: 'required, unless the key has a [default](keys.md#defaults-of-a-key)',
  },
  { name: 'input', does: 'honoured', note: 'required; a text or up to 1,000 items' },
  { name: 'access_programs', does: 'ignored' },
  { name: 'background', does: 'honoured' },
  { name: 'context_management', does: 'ignored', note: 'what is too long is always shortened' },
  {
    name: 'conversation',
    does: 'honoured',
    note: 'an id, or an object with `id`: see [below](#conversations)',
  },
  { name: 'image', does: 'ignored' },
  {
    name: 'include',
    does: 'refused',
    note: 'only for `message.output_text.logprobs`; other entries are ignored',
    refuse: (value) =>
      Array.isArray(value) && value.includes('message.output_text.logprobs')
        ? 'Log probabilities are not available: leave them out of `include`.'
        : undefined,
  },
  { name: 'instructions', does: 'honoured', note: 'for this turn only' },
  { name: 'max_output_tokens', does: 'honoured', note: 'for each call of the model; -1 is no limit' },
  { name: 'max_tool_calls', does: 'ignored' },
  { name: 'metadata', does: 'honoured', note: 'shown again; also a place for the options of the service' },
  {
    name: 'moderation',
    does: 'refused',
    refuse: () => 'Nothing is moderated here: leave `moderation` out, and moderate on your side.',
  },
  { name: 'parallel_tool_calls', does: 'ignored', note: 'shown again; a reply can have several calls' },
  { name: 'previous_response_id', does: 'honoured' },
  {
    name: 'prompt',
    does: 'refused',
    note: 'use `instructions` and `input`',
    refuse: () => 'Stored prompts are not supported: use `instructions` and `input`.',
  },
  { name: 'prompt_cache_key', does: 'ignored' },
  { name: 'prompt_cache_options', does: 'ignored' },
  { name: 'prompt_cache_retention', does: 'ignored' },
  {
    name: 'reasoning',
    does: 'honoured',
    note: '`effort`, passed on as it is; `summary` reports what the agent does as reasoning; other members are ignored',
  },
  { name: 'safety_identifier', does: 'ignored' },
  { name: 'service_tier', does: 'ignored' },
  { name: 'store', does: 'ignored', note: 'every response is stored' },
  { name: 'stream', does: 'honoured' },
  { name: 'stream_options', does: 'ignored' },
  { name: 'temperature', does: 'honoured', note: '0 to 2' },
  {
    name: 'text',
    does: 'honoured',
    note: '`format`, as [for the chat route](chat.md#answers-as-json); other members are ignored',
  },
  {
    name: 'tool_choice',
    does: 'honoured',
    note: '`none`, `auto`, `required`, a function or `allowed_tools`',
  },
  {
    name: 'tools',
    does: 'honoured',
    note: 'up to 128 functions, also in a `namespace`; other types are ignored',
  },
  topLogprobs,
  { name: 'top_p', does: 'honoured', note: '0 to 1' },
  { name: 'truncation', does: 'ignored', note: 'what is too long is always shortened' },
  { name: 'user', does: 'honoured', note: 'passed on to the model’s API; up to 512 characters' },
  { name: 'x_service', does: 'honoured', note: 'the options of the service' },
]
