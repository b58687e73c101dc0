/** What each check is called, and what it proves for turns. */
export const checkWording = {
  answer: { title: 'answer', proves: 'the server can be reached and answers' },
  first_text: { title: 'first text', proves: 'readers do not wait long' },
  stream: { title: 'streaming', proves: 'readers see the answer while it is written' },
  system: { title: 'system message', proves: 'the model keeps the rules of the service' },
  follow_up: { title: 'follow-up question', proves: 'the model knows the conversation' },
  temperature: { title: 'temperature', proves: 'sampling options of clients take effect' },
  stop: { title: 'stop', proves: 'the option `stop` of clients takes effect' },
  max_tokens: { title: 'max_tokens', proves: 'a limit of clients bounds the cost' },
  json: { title: 'JSON schema', proves: 'programs can read the answer' },
  tool_call: { title: 'tool call', proves: 'the model can search the library' },
  two_calls: { title: 'two calls at once', proves: 'turns need fewer steps' },
  tool_result: { title: 'tool result', proves: 'the model answers from what it found' },
  two_results: { title: 'two tool results', proves: 'no result of a step is lost' },
  five_steps: { title: 'five steps', proves: 'a turn can search, read and search again' },
  forced_tool: { title: 'forced tool', proves: '`tool_choice` of clients takes effect' },
  long_context: { title: 'long context', proves: 'long conversations and passages are read' },
  image: { title: 'image', proves: 'the model sees images of the client' },
  hebrew_points: { title: 'Hebrew with points', proves: 'pointed quotations pass verification' },
  quotation: { title: 'quotation', proves: 'quotations pass verification' },
  marks: { title: 'marks', proves: 'answers cite their sources' },
  invented_ref: { title: 'invented ref', proves: 'the model does not invent a source' },
  cancel: { title: 'cancel', proves: 'a cancelled turn ends its call' },
  usage: { title: 'usage', proves: 'charges follow the true token counts' },
  reasoning: { title: 'reasoning apart', proves: "the model's reasoning stays out of the answer" },
} as const

export type CheckId = keyof typeof checkWording

/** What a check found, as a clause that a note can follow, and the remedy: a setting of MODELS_FILE or of the server. */
export type FindingWording = { readonly says: string; readonly remedy: string }

const biggerModel = 'No setting mends this. Use a larger model, or one with less quantisation'

export const findingWording = {
  // How calls fail.
  no_reply: {
    says: 'The server gives no reply',
    remedy: 'Start the server and correct `base_url`. It ends before `/chat/completions`, often in `/v1`',
  },
  unauthorized: {
    says: 'The server refuses the key',
    remedy: 'Correct `api_key`. A gateway may need a member of `headers`',
  },
  not_found: {
    says: 'The server does not know this address or model',
    remedy: "Correct `base_url`, `name` (the model's name on the server) and `api`",
  },
  rate_limited: {
    says: 'The server allows no more calls now',
    remedy: 'Raise the limit at the provider, or add a server to `fallbacks` with `"on": ["rate_limit"]`',
  },
  no_reply_in_time: {
    says: 'The reply did not begin or end in time',
    remedy:
      'Raise `first_word_seconds`, keep the model loaded (Ollama: `OLLAMA_KEEP_ALIVE=-1`), or lower `reasoning`',
  },
  broken_stream: {
    says: 'The stream broke before its end',
    remedy:
      'Look at the log of the server and of proxies before it. Their timeout must be longer than a reply',
  },
  server_failed: {
    says: 'The server failed',
    remedy: 'Look at the log of the server. Add a server to `fallbacks` for such times',
  },
  request_refused: {
    says: 'The server refuses the request',
    remedy: 'Set the `api` of this provider. Take out members of `body` and `headers` that it does not know',
  },
  endless_reply: {
    says: 'The reply does not end',
    remedy: 'Set `max_output_tokens`, and use the chat template of the model (llama.cpp: `--jinja`)',
  },
  other_server: {
    says: 'Another server of `fallbacks` answered',
    remedy: 'Check the first server alone: give it an entry of its own, without `fallbacks`',
  },
  left_out: {
    says: 'The server refuses a parameter, and the call was made without it',
    remedy: 'Nothing to do: later calls leave it out at once. Clients that send it have no effect',
  },
  // What replies lack.
  no_text: {
    says: 'The reply has no text',
    remedy: 'Raise `max_output_tokens`, or set `reasoning` to `low` or `off`',
  },
  slow_first_text: {
    says: 'The first text comes late',
    remedy: 'Set `reasoning` to `low` or `off`, keep the model loaded, or use a smaller model',
  },
  one_piece: {
    says: 'The whole answer comes in one piece',
    remedy: 'Turn off buffering in proxies before the server (nginx: `proxy_buffering off`)',
  },
  system_forgotten: {
    says: 'The model does not follow the system message',
    remedy:
      'Use a chat template that has system messages (llama.cpp: `--jinja`, Ollama: `TEMPLATE` with `.System`)',
  },
  history_forgotten: {
    says: 'The model does not know the earlier messages',
    remedy: 'Use the chat template of the model, and raise the window of the server (Ollama: `num_ctx`)',
  },
  stop_ignored: {
    says: 'The text goes on after a stop text',
    remedy: 'Nothing in MODELS_FILE mends this. Tell users of this model that `stop` has no effect',
  },
  max_tokens_ignored: {
    says: 'The reply is longer than the limit',
    remedy: 'Set the `api` of this provider: the limit has another name there. A gateway may drop it',
  },
  schema_refused: {
    says: 'The server refuses a JSON schema',
    remedy:
      'Update the server: vLLM, llama.cpp, Ollama and LM Studio take schemas. Until then, requests with `response_format` fail',
  },
  json_invalid: {
    says: 'The answer does not fit the JSON schema',
    remedy:
      'Use a server that enforces schemas (vLLM, llama.cpp, Ollama 0.5 or later), or set `temperature` to 0',
  },
  json_corrected: {
    says: 'Only the second answer fitted the JSON schema',
    remedy: 'Use a server that enforces schemas. Otherwise each such answer costs two calls',
  },
  tools_refused: {
    says: 'The server refuses tools',
    remedy:
      'vLLM: start with `--enable-auto-tool-choice --tool-call-parser NAME`. llama.cpp: `--jinja`. Ollama: use a model with the tag `tools`',
  },
  no_tool_call: {
    says: 'The model calls no tool',
    remedy:
      'vLLM: start with `--enable-auto-tool-choice --tool-call-parser NAME`. llama.cpp: `--jinja`. Ollama: use a model with the tag `tools`, and raise `num_ctx`',
  },
  tool_call_in_text: {
    says: 'The tool call stands in the text',
    remedy:
      "vLLM: set the model's `--tool-call-parser`. llama.cpp: `--jinja`. Ollama: use a model with the tag `tools`",
  },
  unknown_tool: {
    says: 'The model calls a tool that does not exist',
    remedy: "vLLM: set the model's `--tool-call-parser`. Otherwise use a larger model",
  },
  malformed_arguments: {
    says: 'The arguments of the tool call are not what the tool takes',
    remedy:
      "vLLM: set the model's `--tool-call-parser`. Otherwise set `temperature` to 0, or use a larger model",
  },
  one_call_only: {
    says: 'The model makes one call at a time',
    remedy:
      'Turns work, with more steps. llama.cpp and some others need `"body": {"parallel_tool_calls": true}`',
  },
  result_unread: {
    says: 'The answer does not use the tool result',
    remedy:
      'Use the chat template of the model (llama.cpp: `--jinja`), and raise the window (Ollama: `num_ctx`)',
  },
  results_lost: {
    says: 'The answer uses only one of two tool results',
    remedy:
      'Use a chat template that takes several results after one message, or set `"body": {"parallel_tool_calls": false}`',
  },
  history_refused: {
    says: 'The server refuses the history of a turn with tool calls',
    remedy: 'Set the `api` of this provider: it wants reasoning, signatures or ids of its own back',
  },
  steps_broken: {
    says: 'The model stops before the last step',
    remedy:
      'Set `reasoning` to `medium` or `high`, and raise the window (Ollama: `num_ctx`). Otherwise use a larger model',
  },
  tool_choice_ignored: {
    says: 'The model calls no tool although one is required',
    remedy:
      'Nothing to do for turns. Clients that send `tool_choice` need another model, or `reasoning` set to `off`',
  },
  tool_choice_refused: {
    says: 'The server refuses a required tool',
    remedy: 'Set `reasoning` to `off`: some models refuse it while they think',
  },
  window_smaller: {
    says: 'The window of the server is smaller than `context_tokens`',
    remedy:
      'Lower `context_tokens`, or raise the window: Ollama `num_ctx`, llama.cpp `-c`, vLLM `--max-model-len`, LM Studio "Context Length"',
  },
  prompt_cut: {
    says: 'The server cuts long prompts without a word',
    remedy:
      'Lower `context_tokens`, or raise the window: Ollama `num_ctx` (`OLLAMA_CONTEXT_LENGTH`), LM Studio "Context Length"',
  },
  needle_missed: {
    says: 'The model does not find a sentence in a long prompt',
    remedy: 'Lower `context_tokens` to what the model reads well',
  },
  image_refused: {
    says: 'The server refuses images',
    remedy: 'Set `images` to false, or start the server with its vision part (llama.cpp: `--mmproj`)',
  },
  image_unseen: {
    says: 'The model does not see the image',
    remedy: 'Set `images` to false, or start the server with its vision part (llama.cpp: `--mmproj`)',
  },
  points_lost: { says: 'The points of a Hebrew text are lost', remedy: biggerModel },
  letters_changed: {
    says: 'A repeated text is not the same letter by letter',
    remedy: `Set \`temperature\` to 0. ${biggerModel}`,
  },
  marks_dropped: { says: 'The answer does not cite the passages that it was given', remedy: biggerModel },
  marks_invented: { says: 'The answer has a mark that was not given', remedy: biggerModel },
  ref_invented: { says: 'The model invents the text of a ref that does not exist', remedy: biggerModel },
  cancel_ignored: {
    says: 'A cancelled call goes on',
    remedy: 'Report this as a fault of the service, with the `api` of the entry',
  },
  usage_missing: {
    says: 'The server sends no token counts',
    remedy:
      'Charges are estimates until it does. Some gateways need `"body": {"stream_options": {"include_usage": true}}`',
  },
  usage_impossible: {
    says: 'The server sends impossible token counts',
    remedy:
      'Correct `context_tokens`, or update the server. Charges are estimates where a count is impossible',
  },
  reasoning_in_text: {
    says: 'Reasoning stands in the answer',
    remedy:
      'vLLM: start with `--reasoning-parser NAME`. llama.cpp: `--jinja --reasoning-format auto`. Elsewhere, set `reasoning` to `off`',
  },
  // Why a check did not run.
  needs_other: { says: 'It needs a check that did not pass', remedy: 'Mend that one first' },
  images_off: {
    says: 'The entry says that the model reads no images',
    remedy: 'Set `images` to true if it does',
  },
  lite_model: { says: 'Models with `lite` get no tools', remedy: 'Nothing to do' },
  token_bound: {
    says: 'The run reached its bound of tokens',
    remedy: 'Set `reasoning` to `low`, so that calls need fewer tokens',
  },
} as const satisfies Readonly<Record<string, FindingWording>>

export type FindingId = keyof typeof findingWording
