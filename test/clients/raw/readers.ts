/**
 * Reproduces how clients that do not run here assemble a stream, each in its strictest point: openai-python
 * (`_streaming.py`, `lib/streaming/_deltas.py`), openai-go (`streamaccumulator.go`), openai-java
 * (`ChatCompletionAccumulator.kt`, `SseHandler.kt`) and LiteLLM (`streaming_handler.py`).
 */
export type Chunk = {
  readonly id?: unknown
  readonly created?: unknown
  readonly model?: unknown
  readonly object?: unknown
  readonly choices?: readonly {
    readonly index?: unknown
    readonly delta: Readonly<Record<string, unknown>>
    readonly finish_reason: string | null
  }[]
  readonly usage?: Readonly<Record<string, number>>
  readonly error?: { readonly message: string }
}

/**
 * @returns the text.
 * @throws where the client would.
 */
export type Reader = (body: string) => string

function framesOf(body: string): readonly Chunk[] {
  const lines = body.split('\n').filter((line) => line.startsWith('data: {'))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)))
}

/**
 * Remembers the last `id:` or `retry:`, and then treats any blank line as the end of an event, with or
 * without data.
 */
function pythonFrames(body: string): readonly Chunk[] {
  const remembers = /^(id|retry):/m.exec(body)
  if (remembers && /\n\n(:.*\n)*\n/.test(body.slice(remembers.index)))
    throw new SyntaxError('an event without data')
  return framesOf(body)
}

function refuse(chunk: Chunk): void {
  if (chunk.error) throw new Error(chunk.error.message)
}

/**
 * Concatenates all texts, even the role, and merges lists by `index`; a second list without one is an error.
 */
const python: Reader = (body) => {
  const joined: Record<string, unknown> = {}
  for (const chunk of pythonFrames(body)) {
    refuse(chunk)
    if (chunk.object !== 'chat.completion.chunk') throw new Error('a chunk of another kind is passed over')
    for (const [key, value] of (chunk.choices ?? []).flatMap(({ delta }) => Object.entries(delta))) {
      joined[key] = pythonJoined(joined[key], value)
    }
  }
  if (joined['role'] !== 'assistant') throw new Error(`the role is ${joined['role']}`)
  return String(joined['content'])
}

function pythonJoined(before: unknown, value: unknown): unknown {
  if (before === undefined || before === null) return value
  if (typeof before === 'string' && typeof value === 'string') return before + value
  if (!Array.isArray(before) || !Array.isArray(value)) throw new TypeError('two kinds cannot be joined')
  if (value.some((entry) => !('index' in entry))) throw new TypeError('a list entry without index')
  return [...before, ...value]
}

/**
 * The id must not change. Usage is summed over all chunks, and any later choice overwrites the finish reason.
 */
const go: Reader = (body) => {
  let [text, id, finish, total] = ['', undefined as unknown, '', 0]
  for (const chunk of framesOf(body)) {
    if ('error' in chunk) throw new Error(chunk.error?.message ?? 'error: null is an error')
    id ??= chunk.id
    if (chunk.id !== id) throw new Error('the id changed')
    total += chunk.usage?.['total_tokens'] ?? 0
    for (const { delta, finish_reason } of chunk.choices ?? []) {
      text += delta['content'] ?? ''
      finish = finish_reason ?? ''
    }
  }
  if (finish === '') throw new Error('no finish reason at the end')
  const last = framesOf(body).at(-1)?.usage
  if (last && last['total_tokens'] !== total) throw new Error('usage came more than once')
  return text
}

/** Every member must be present. After the finish chunk only one more may come, and it must have usage. */
const java: Reader = (body) => {
  let [text, finished, ended] = ['', false, false]
  for (const chunk of framesOf(body)) {
    requireMembers(chunk)
    if (ended || (finished && !chunk.usage)) throw new Error('the accumulator has finished already')
    ended = chunk.usage !== undefined
    // This client ignores the choices of a chunk with usage.
    for (const { delta, finish_reason } of ended ? [] : (chunk.choices ?? [])) {
      text += delta['content'] ?? ''
      finished ||= finish_reason !== null
    }
  }
  if (!finished) throw new Error('it has not finished')
  return text
}

function requireMembers(chunk: Chunk): void {
  if ('error' in chunk) throw new Error(chunk.error?.message ?? 'error: null is an error')
  for (const member of ['id', 'created', 'model', 'choices'] as const) {
    if (chunk[member] === undefined) throw new Error(`${member} is not set`)
  }
  if (chunk.choices?.some(({ index }) => typeof index !== 'number')) throw new Error('index is not set')
}

/**
 * This client reports a loop after many equal pieces of text; the first empty chunk after the finish ends the
 * stream.
 */
const litellm: Reader = (body) => {
  const repeatedLimit = 100
  let [text, last, equal, finished] = ['', '', 0, false]
  for (const chunk of framesOf(body)) {
    refuse(chunk)
    const [choice] = chunk.choices ?? []
    if (finished && !chunk.usage) throw new Error('usage is lost: an empty chunk follows the finish')
    if (choice?.finish_reason === 'error') throw new Error('finish_reason error')
    finished ||= typeof choice?.finish_reason === 'string'
    const piece = String(choice?.delta['content'] ?? '')
    equal = piece.length > 2 && piece === last ? equal + 1 : 0
    if (equal >= repeatedLimit) throw new Error('the model repeats itself')
    last = piece
    text += piece
  }
  return text
}

export const readers: Readonly<Record<string, Reader>> = {
  'openai-python': python,
  'openai-go': go,
  'openai-java': java,
  litellm,
}
