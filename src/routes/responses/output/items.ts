import { z } from 'zod'
import type { ContentPart, ModelMessage } from '../../../agent/provider.ts'
import { listBody, type pageQuery } from '../../../http/lists.ts'
import { type BodyOf, listOf } from '../../../http/openapi/docs.ts'
import type { Page, PageRequest } from '../../../turns/run/paging.ts'
import { answerPosition } from '../../../turns/run/transcript.ts'
import type { StoredMessage } from '../../../turns/sessions/sessions.ts'
import { callItemId, messageCallId, messageOfItem } from '../ids.ts'
import { callItem, messageItem, type outputText } from './reply-schema.ts'

const inputPart = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_text'), text: z.string() }),
  z.object({
    type: z.literal('input_image'),
    image_url: z.string(),
    detail: z.enum(['auto', 'low', 'high']),
    file_id: z.null(),
  }),
  z.object({ type: z.literal('input_file'), file_id: z.string() }),
])

const inputMessage = z
  .object({
    id: z.string(),
    type: z.literal('message'),
    role: z.enum(['user', 'system']),
    status: z.literal('completed'),
    content: z.array(inputPart),
  })
  .meta({ id: 'ResponseInputMessage' })

const callOutput = z
  .object({
    id: z.string(),
    type: z.literal('function_call_output'),
    status: z.literal('completed'),
    call_id: z.string(),
    output: z.string(),
  })
  .meta({ id: 'ResponseFunctionCallOutput' })

/** An item of a conversation. */
export const storedItem = z.union([inputMessage, messageItem, callItem, callOutput])

export const itemList = listOf(storedItem).meta({ id: 'ResponseItemList' })

type StoredItem = BodyOf<typeof storedItem>
type InputPart = BodyOf<typeof inputPart>

/** The items of a stored message: an answer with function calls has several. */
export function itemsOf(message: StoredMessage): readonly StoredItem[] {
  const content = message.content as ModelMessage
  const { id } = message
  switch (content.role) {
    case 'system':
    case 'user':
      return [
        { id, type: 'message', role: content.role, status: 'completed', content: partsOf(content.content) },
      ]
    case 'tool':
      return [
        {
          id,
          type: 'function_call_output',
          status: 'completed',
          call_id: content.callId,
          output: content.content,
        },
      ]
    case 'assistant': {
      const isAnswer = message.position === answerPosition
      const calls = content.toolCalls.map((call, index) => ({
        id: isAnswer ? callItemId({ id: message.runId }, index) : messageCallId(id, index),
        type: 'function_call' as const,
        status: 'completed' as const,
        call_id: call.id,
        name: call.name,
        arguments: call.arguments,
      }))
      return content.content === '' && calls.length > 0 ? calls : [answerItem(id, content.content), ...calls]
    }
  }
}

function answerItem(id: string, text: string): StoredItem {
  const part: BodyOf<typeof outputText> = { type: 'output_text', text, annotations: [], logprobs: [] }
  return { id, type: 'message', role: 'assistant', status: 'completed', content: [part] }
}

function partsOf(content: Extract<ModelMessage, { role: 'user' }>['content']): readonly InputPart[] {
  if (typeof content === 'string') return [{ type: 'input_text', text: content }]
  return content.map(partOf)
}

function partOf(part: ContentPart): InputPart {
  switch (part.type) {
    case 'text':
      return { type: 'input_text', text: part.text }
    case 'file':
      return { type: 'input_file', file_id: part.fileId }
    case 'image_url': {
      const detail = part.detail === 'low' || part.detail === 'high' ? part.detail : 'auto'
      return { type: 'input_image', image_url: part.url, detail, file_id: null }
    }
  }
}

/**
 * One page of items. Each message is on one page with all its items.
 * @param find the message of the item that `after` names.
 */
export async function listItems(
  query: z.infer<typeof pageQuery>,
  find: (item: ReturnType<typeof messageOfItem>) => Promise<StoredMessage | undefined>,
  list: (page: PageRequest) => Promise<Page<StoredMessage>>,
): Promise<BodyOf<typeof itemList>> {
  const { after } = query
  const last = after === undefined ? undefined : await find(messageOfItem(after))
  const { items, hasMore } = await list(last ? { ...query, after: last.id } : query)
  const inOrder = (message: StoredMessage) =>
    query.order === 'asc' ? itemsOf(message) : itemsOf(message).toReversed()
  return listBody(items.flatMap(inOrder), hasMore)
}
