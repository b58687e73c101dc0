import { honoured, ignored, type Parameter, refused, topLogprobs } from '../../turn-request/parameters.ts'

/**
 * Every parameter of OpenAI's request for a response, and `x_service`. Each request is checked against this
 * list.
 */
export const responsesParameters: readonly Parameter[] = [
  ...honoured(`model input background conversation instructions max_output_tokens metadata
    previous_response_id reasoning store stream temperature text tool_choice tools top_p user
    x_service`),
  ...ignored(`access_programs context_management image max_tool_calls parallel_tool_calls prompt_cache_key
    prompt_cache_options prompt_cache_retention safety_identifier service_tier stream_options
    truncation`),
  refused('include', (value) =>
    Array.isArray(value) && value.includes('message.output_text.logprobs')
      ? 'Log probabilities are not available: leave them out of `include`.'
      : undefined,
  ),
  refused('moderation', () => 'Requests cannot choose a moderation: leave `moderation` out.'),
  refused('prompt', () => 'Stored prompts are not supported: use `instructions` and `input`.'),
  topLogprobs,
]
