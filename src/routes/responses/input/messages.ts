import type { ChatMessage } from '../../turn-request/chat-body.ts'
import type { FunctionCall, FunctionCallOutput, Item, ItemReference, Message } from './items.ts'
import { flatName } from './tools.ts'

/** An item with its content; not a reference to one. */
export type PlainItem = Exclude<Item, ItemReference>

/** Converts items to chat messages. Calls join the assistant message before them. */
export function toChatMessages(items: readonly PlainItem[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  for (const item of items) {
    const last = messages.at(-1)
    if (item.type === 'function_call' && last?.role === 'assistant') {
      messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), callOf(item)] }
    } else messages.push(messageOf(item))
  }
  return messages
}

function messageOf(item: PlainItem): ChatMessage {
  switch (item.type) {
    case 'message':
      return { role: item.role, content: contentOf(item.content) }
    case 'function_call':
      return { role: 'assistant', content: null, tool_calls: [callOf(item)] }
    case 'function_call_output':
      return { role: 'tool', tool_call_id: item.call_id, content: contentOf(item.output) }
  }
}

function callOf({ call_id: id, arguments: args, ...tool }: FunctionCall) {
  return { id, type: 'function' as const, function: { name: flatName(tool), arguments: args } }
}

function contentOf(content: Message['content'] | FunctionCallOutput['output']): ChatMessage['content'] {
  if (typeof content === 'string') return content
  return content.map((part) => {
    if (part.type === 'refusal') return part
    if (part.type === 'input_file') {
      const { type: _, ...file } = part
      return { type: 'file', file }
    }
    if (part.type !== 'input_image') return { type: 'text', text: part.text }
    const detail = part.detail ? { detail: part.detail } : {}
    return { type: 'image_url', image_url: { url: part.image_url, ...detail } }
  })
}
