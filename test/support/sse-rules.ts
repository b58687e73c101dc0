/** Checks chat streams as strictly as the strictest known client reads them. */

export type ServiceBlock = {
  readonly run_id?: string
  readonly session_id?: string
  readonly status?: string
  readonly event?: Readonly<Record<string, unknown>>
  readonly files?: readonly Readonly<Record<string, unknown>>[]
  readonly usage?: Readonly<Record<string, unknown>>
  readonly [field: string]: unknown
}

export type Delta = {
  readonly role?: string
  readonly content?: string
  readonly annotations?: readonly unknown[]
  readonly tool_calls?: readonly {
    readonly index: number
    readonly id: string
    readonly type: string
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
}

export type Chunk = {
  readonly id: string
  readonly created: number
  readonly model: string
  readonly choices: readonly { readonly delta: Delta; readonly finish_reason: string | null }[]
  readonly x_service?: ServiceBlock
  readonly usage?: Readonly<Record<string, number>>
}

export type StreamError = {
  readonly message: string
  readonly type: string
  readonly param: string | null
  readonly code: string
  readonly x_service: ServiceBlock
}

export type ReadStream = {
  /** All broken rules as text; empty for a stream that every client can read. */
  readonly problems: readonly string[]
  readonly chunks: readonly Chunk[]
  readonly text: string
  readonly error: StreamError | undefined
  readonly finish: Chunk | undefined
  readonly usage: Readonly<Record<string, number>> | undefined
  readonly keepAlives: number
}

type Json = Readonly<Record<string, unknown>>
type Frame = { readonly keepAlive: boolean; readonly data: string }

const keepAliveLine = ': keep-alive'
const finishReasons = ['stop', 'length', 'tool_calls', 'content_filter']
const idMembers = ['project_id', 'session_id', 'run_id', 'message_id', 'status', 'files', 'sources']
const costMembers = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'cost']

/** Parses the raw body of a complete streamed reply. */
export function readStream(body: string, asked: { readonly includeUsage?: boolean } = {}): ReadStream {
  const problems: string[] = []
  const frames = framesOf(body, problems)
  if (frames.at(-1)?.data !== '[DONE]') problems.push('the stream does not end with [DONE]')
  const done = frames.filter((frame) => frame.data === '[DONE]').length
  if (done > 1) problems.push('[DONE] comes more than once')
  const payloads = frames.filter((frame) => frame.data !== '[DONE]').map((frame) => parse(frame, problems))
  const errorAt = payloads.findIndex((payload) => 'error' in payload)
  if (errorAt >= 0) checkError(payloads, errorAt, problems)
  const chunks = (errorAt < 0 ? payloads : payloads.slice(0, errorAt)) as unknown as readonly Chunk[]
  checkChunks(chunks, problems)
  const finish = checkEnd(chunks, errorAt >= 0, asked.includeUsage ?? false, problems)
  return {
    problems,
    chunks,
    text: chunks.map((chunk) => chunk.choices?.[0]?.delta?.content ?? '').join(''),
    error: errorAt < 0 ? undefined : (payloads[errorAt]?.['error'] as StreamError),
    finish,
    usage: chunks.find((chunk) => chunk.usage)?.usage,
    keepAlives: frames.filter((frame) => frame.keepAlive).length,
  }
}

/** Parses blocks of one `data:` line each, with an optional keep-alive comment before it. */
function framesOf(body: string, problems: string[]): readonly Frame[] {
  if (body.includes('\r')) problems.push('lines end in CR')
  if (!body.endsWith('\n\n')) problems.push('the last block is not closed by a blank line')
  return body
    .replace(/\n\n$/, '')
    .split('\n\n')
    .map((block) => {
      const lines = block.split('\n')
      const keepAlive = lines[0] === keepAliveLine
      if (keepAlive) lines.shift()
      const [line = ''] = lines
      if (lines.length !== 1 || !line.startsWith('data: ')) {
        problems.push(`a block is not one data line: ${JSON.stringify(block.slice(0, 200))}`)
      }
      return { keepAlive, data: line.slice('data: '.length) }
    })
}

function parse(frame: Frame, problems: string[]): Json {
  try {
    const value: unknown = JSON.parse(frame.data)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      if (frame.keepAlive && !isEmptyDelta(value as Json))
        problems.push('a keep-alive carries more than nothing')
      return value as Json
    }
  } catch {
    // Said below.
  }
  problems.push(`a frame is not a JSON object: ${frame.data.slice(0, 200)}`)
  return {}
}

function isEmptyDelta(payload: Json): boolean {
  const { choices } = payload as { choices?: readonly { delta?: unknown }[] }
  return JSON.stringify(choices?.[0]?.delta) === '{}' && !('x_service' in payload)
}

function checkError(payloads: readonly Json[], at: number, problems: string[]): void {
  const payload = payloads[at] ?? {}
  if (at !== payloads.length - 1) problems.push('something follows the error frame')
  if (Object.keys(payload).length !== 1) problems.push('the error frame holds more than the error')
  const error = payload['error'] as Json | null
  if (typeof error !== 'object' || error === null) {
    problems.push('`error` is not an object')
    return
  }
  for (const member of ['message', 'type', 'code'])
    if (typeof error[member] !== 'string') problems.push(`the error has no ${member}`)
  if (!('param' in error)) problems.push('the error has no param')
  if (error['type'] !== 'invalid_request_error') problems.push('the error would be retried by @ai-sdk/openai')
  checkBlock(error['x_service'], 'the error', problems)
}

function checkBlock(block: unknown, where: string, problems: string[]): void {
  for (const member of idMembers) {
    const value = (block as Json | undefined)?.[member]
    if (value === undefined || value === '') problems.push(`${where} has no x_service.${member}`)
  }
}

function checkChunks(chunks: readonly Chunk[], problems: string[]): void {
  const [first] = chunks
  if (!first) {
    problems.push('there is no chunk')
    return
  }
  const opening = first.choices?.[0]?.delta
  if (opening?.role !== 'assistant' || opening.content !== '')
    problems.push('the first chunk is not the role')
  checkBlock(first.x_service, 'the first chunk', problems)
  for (const [i, chunk] of chunks.entries()) checkChunk(chunk, first, i, problems)
  const annotated = chunks.filter((chunk) => chunk.choices?.[0]?.delta?.annotations)
  if (annotated.length > 1) problems.push('annotations come in more than one delta')
}

function checkChunk(chunk: Chunk, first: Chunk, i: number, problems: string[]): void {
  const say = (problem: string) => void problems.push(`chunk ${i}: ${problem}`)
  const raw = chunk as unknown as Json
  if (raw['object'] !== 'chat.completion.chunk') say('wrong object')
  for (const member of ['id', 'created', 'model'] as const) {
    if (chunk[member] === undefined || chunk[member] !== first[member]) say(`${member} changed`)
  }
  if (!Number.isInteger(chunk.created)) say('created is no whole number')
  const { choices } = chunk
  if (!Array.isArray(choices)) say('choices is no array')
  else if (choices.length > 1) say('more than one choice')
  else if (choices.length === 1) checkChoice(choices[0], i, 'usage' in chunk, say)
  else if (!chunk.usage) say('choices is empty')
}

function checkChoice(choice: Json, i: number, hasUsage: boolean, say: (problem: string) => void): void {
  if (hasUsage) say('usage beside a choice')
  if (choice['index'] !== 0) say('index is not 0')
  if (!('finish_reason' in choice)) say('finish_reason is missing')
  if (choice['logprobs'] !== null) say('logprobs is not null')
  if ('x_service' in choice) say('x_service inside the choice')
  const { delta } = choice
  if (typeof delta === 'object' && delta !== null) checkDelta(delta, i, say)
  else say('delta is no object')
}

const deltaMembers = ['role', 'content', 'tool_calls', 'annotations', 'reasoning_content']

function checkDelta(delta: Delta, i: number, say: (problem: string) => void): void {
  const { role, content, annotations = [], tool_calls: calls = [] } = delta
  for (const member of Object.keys(delta)) if (!deltaMembers.includes(member)) say(`${member} inside delta`)
  if (role !== undefined && i > 0) say('role comes again')
  if (content !== undefined && typeof content !== 'string') say('content is no string')
  for (const annotation of annotations) if (!isCitation(annotation)) say('an annotation is no url_citation')
  calls.forEach((call, at) => {
    if (call.index !== at || !call.id || call.type !== 'function') say('a tool call is incomplete')
    const texts = [call.function?.name, call.function?.arguments]
    if (texts.some((text) => typeof text !== 'string')) say('a tool call has no function')
  })
}

function isCitation(value: unknown): boolean {
  const { type, url_citation: citation } = value as { type?: string; url_citation?: Json }
  return (
    type === 'url_citation' &&
    typeof citation?.['start_index'] === 'number' &&
    typeof citation['end_index'] === 'number' &&
    typeof citation['url'] === 'string' &&
    typeof citation['title'] === 'string'
  )
}

/** Checks the finish chunk and the chunks after it: only the usage chunk, if the request asked for it. */
function checkEnd(
  chunks: readonly Chunk[],
  failed: boolean,
  includeUsage: boolean,
  problems: string[],
): Chunk | undefined {
  const finishing = chunks.filter((chunk) => chunk.choices?.[0]?.finish_reason)
  if (finishing.length !== (failed ? 0 : 1)) problems.push(`${finishing.length} chunks have a finish_reason`)
  const [finish] = finishing
  if (!finish) return undefined
  checkFinish(finish, chunks[0]?.x_service ?? {}, problems)
  const after = chunks.slice(chunks.indexOf(finish) + 1)
  if (after.length !== (includeUsage ? 1 : 0)) problems.push(`${after.length} chunks follow the finish chunk`)
  for (const chunk of after) checkUsage(chunk, finish, problems)
  return finish
}

function checkUsage(chunk: Chunk, finish: Chunk, problems: string[]): void {
  if (chunk.choices?.length !== 0) problems.push('a choice follows the finish chunk')
  for (const member of costMembers) {
    if (chunk.usage?.[member] !== finish.x_service?.usage?.[member]) problems.push(`two different ${member}`)
  }
}

function checkFinish(finish: Chunk, opening: ServiceBlock, problems: string[]): void {
  const [choice] = finish.choices
  if (!finishReasons.includes(choice?.finish_reason ?? '')) problems.push('unknown finish_reason')
  if (JSON.stringify(choice?.delta) !== '{}') problems.push('the finish chunk has a delta')
  const block = finish.x_service ?? {}
  checkBlock(block, 'the finish chunk', problems)
  for (const member of costMembers) {
    if (typeof block.usage?.[member] !== 'number') problems.push(`the finish chunk has no usage.${member}`)
  }
  for (const member of Object.keys(opening)) {
    if (!(member in block)) problems.push(`x_service.${member} is lost at the end`)
  }
}
