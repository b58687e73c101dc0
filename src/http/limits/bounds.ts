import { z } from 'zod'

/** The unit of a bound. `characters` are Unicode code points. */
type Unit = 'MiB' | 'levels' | 'values' | 'entries' | 'characters' | 'items' | 'steps' | 'fields'

export type Bound = {
  readonly max: number
  readonly unit: Unit
  /** What the bound limits, in the words of docs/limits.md. */
  readonly what: string
}

const bound = (max: number, unit: Unit, what: string): Bound => ({ max: max, unit, what })

/**
 * All bounds of a request. Checks, error messages, the OpenAPI document and docs/limits.md read them. Usual
 * requests stay far below them, and no accepted body blocks the event loop for 100 ms.
 */
export const bounds = {
  turnBody: bound(
    16,
    'MiB',
    'body of a chat, a response, a conversation or its items, embeddings, a count of tokens, or MCP',
  ),
  otherBody: bound(1, 'MiB', 'any other body, except uploads'),
  depth: bound(200, 'levels', 'nesting of a JSON body'),
  values: bound(
    100_000,
    'values',
    'values in a JSON body: objects, arrays, texts, numbers, booleans and nulls',
  ),
  entries: bound(10_000, 'entries', 'one array or one object, also in unknown fields'),
  memberName: bound(1_000, 'characters', 'name of a member of an object'),
  requestText: bound(
    2_000_000,
    'characters',
    'all texts and names of a chat or response body together, without data of images and files',
  ),
  text: bound(
    1_000_000,
    'characters',
    'one text: a message, a text part, a tool result, arguments of a call, `instructions`',
  ),
  id: bound(8_000, 'characters', 'one id'),
  name: bound(
    256,
    'characters',
    'one name: a model, a tool, a schema, the author of a message, a field of an upload',
  ),
  data: bound(16 * 1024 * 1024, 'characters', '`file_data`, or an image as a `data:` URL'),
  url: bound(8_000, 'characters', 'an http(s) URL of an image'),
  messages: bound(1_000, 'items', '`messages`, `input`'),
  contentParts: bound(1_000, 'items', '`content` or `output` as an array of parts'),
  toolCalls: bound(128, 'items', '`tool_calls` of a message'),
  attachedFiles: bound(20, 'items', 'files in the messages of one request'),
  tools: bound(128, 'items', '`tools`'),
  toolDescription: bound(50_000, 'characters', '`description` of a tool'),
  stops: bound(4, 'items', '`stop`'),
  stop: bound(1_000, 'characters', 'one text of `stop`'),
  user: bound(512, 'characters', '`user`'),
  effort: bound(100, 'characters', '`reasoning_effort`, `reasoning.effort`, `reasoning.summary`'),
  metadata: bound(100, 'entries', '`metadata`'),
  metadataText: bound(10_000, 'characters', 'one string in `metadata`, or `x_service` as a string'),
  pairs: bound(16, 'entries', '`metadata` of a conversation'),
  pairName: bound(64, 'characters', 'one name in `metadata` of a conversation'),
  pairText: bound(512, 'characters', 'one text in `metadata` of a conversation'),
  addedItems: bound(20, 'items', '`items` that are added to a conversation'),
  embeddingInputs: bound(2_048, 'items', '`input` of a request for embeddings'),
  schemaValues: bound(10_000, 'values', 'a JSON Schema: of the answer, or of the parameters of a tool'),
  schemaText: bound(200_000, 'characters', 'texts and names of a JSON Schema'),
  schemaSteps: bound(
    20_000,
    'steps',
    'a JSON Schema of the answer, counted with all references: the schemas, and the members of `enum` and `required`, for one value',
  ),
  title: bound(200, 'characters', '`name` of a project or session'),
  projectInstructions: bound(8_000, 'characters', '`instructions` of a project'),
  verifiedText: bound(200_000, 'characters', '`text` of a verification'),
  verifiedRefs: bound(50, 'items', '`refs` of a verification'),
  ref: bound(300, 'characters', 'one ref of a verification'),
  partField: bound(8_000, 'characters', 'value of one field of an upload, except the file'),
  partFields: bound(20, 'fields', 'fields of an upload, without the file'),
  uploadType: bound(200, 'characters', '`Content-Type` of an upload, with its boundary'),
  formFields: bound(320, 'fields', 'a form of the pages'),
  boxes: bound(100, 'items', 'ticked boxes of one name in a form'),
} as const satisfies Readonly<Record<string, Bound>>

/** A bound as text for messages and documents: `1,000 items`. Not by `toLocaleString`, whose first call takes 20 ms of each start. */
export function sizeOf({ max, unit }: Bound): string {
  return `${String(max).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')} ${unit}`
}

/** The bound in the message of a refusal: `at most 1,000 items`. */
export function atMost(one: Bound): string {
  return `at most ${sizeOf(one)}`
}

/** A text of a request. */
export function boundedText(one: Bound): z.ZodString {
  return z.string().max(one.max, atMost(one))
}

/**
 * Schema of an array of a request. It checks the length before the items, and stops at the first wrong item.
 */
export function boundedList<T extends z.ZodType>(item: T, one: Bound): z.ZodArray<T> {
  return z.array(item).max(one.max, atMost(one))
}

/** Bytes of a body. */
export const bodyBytes = {
  turn: bounds.turnBody.max * 1024 * 1024,
  other: bounds.otherBody.max * 1024 * 1024,
} as const
