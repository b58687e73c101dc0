import type { ChatMessage } from '../../turn-request/chat-body.ts'
import type { FunctionCall, FunctionCallOutput, Item, ItemReference, Message } from './items.ts'
import { flatName } from './tools.ts'

/** An item with its content; not a reference to one. */
export type PlainItem = Exclude<Item, ItemReference>

/**
 * Converts items to chat messages. Calls join the assistant message before them. Files of outputs follow the outputs in a
 * message of the user, because messages of tools have no place for them.
 */
export function toChatMessages(items: readonly PlainItem[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  let files: Part[] = []
  const placeFiles = () => {
    if (files.length === 0) return
    messages.push({ role: 'user', content: [{ type: 'text', text: 'Files of the tool results:' }, ...files] })
    files = []
  }
  for (const item of items) {
    if (item.type !== 'function_call_output') placeFiles()
    const last = messages.at(-1)
    if (item.type === 'function_call' && last?.role === 'assistant') {
      messages[messages.length - 1] = { ...last, tool_calls: [...(last.tool_calls ?? []), callOf(item)] }
    } else messages.push(messageOf(item))
    if (item.type === 'function_call_output') files.push(...filesOf(item.output))
  }
  placeFiles()
  return messages
}

type Part = Exclude<NonNullable<ChatMessage['content']>, string>[number]

function messageOf(item: PlainItem): ChatMessage {
  switch (item.type) {
    case 'message':
      return { role: item.role, content: contentOf(item.content) }
    case 'function_call':
      return { role: 'assistant', content: null, tool_calls: [callOf(item)] }
    case 'function_call_output':
      return { role: 'tool', tool_call_id: item.call_id, content: resultOf(item.output) }
  }
}

function callOf({ call_id: id, arguments: args, ...tool }: FunctionCall) {
  return { id, type: 'function' as const, function: { name: flatName(tool), arguments: args } }
}

function filesOf(output: FunctionCallOutput['output']): readonly Part[] {
  return typeof output === 'string' ? [] : output.map(partOf).filter(({ type }) => type === 'file')
}

/** An output, with a note in place of each file. */
function resultOf(output: FunctionCallOutput['output']): ChatMessage['content'] {
  if (typeof output === 'string') return output
  return output.map(partOf).map((part) => (part.type === 'file' ? { type: 'text', text: '[file]' } : part))
}

function contentOf(content: Message['content']): ChatMessage['content'] {
  return typeof content === 'string' ? content : content.map(partOf)
}

function partOf(part: Exclude<Message['content'] | FunctionCallOutput['output'], string>[number]): Part {
  switch (part.type) {
    case 'refusal':
      return part
    case 'input_file': {
      const { type: _, ...file } = part
      return { type: 'file', file }
    }
    case 'input_image': {
      if (part.file_id) return { type: 'file', file: { file_id: part.file_id } }
      const detail = part.detail ? { detail: part.detail } : {}
      return { type: 'image_url', image_url: { url: part.image_url ?? '', ...detail } }
    }
    default:
      return { type: 'text', text: part.text }
  }
}
