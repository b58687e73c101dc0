import type { ChatBody, ChatMessage } from '../turn-request/chat-body.ts'

/**
 * The older form of tools: `functions`, `function_call`, and messages of role `function`. OpenAI replaced it in
 * November 2023; some clients still send it, and read replies in the same form.
 */

/** Whether the client sends functions in the older form. `tools` win if both are there. */
export function usesFunctions({ functions, tools }: ChatBody): boolean {
  return Boolean(functions?.length) && !tools?.length
}

/** The request with its functions as tools. Calls get ids, because the older form has none. */
export function withTools(body: ChatBody): ChatBody {
  if (!usesFunctions(body)) return body
  const { functions, function_call: choice, ...rest } = body
  return {
    ...rest,
    messages: withCallIds(body.messages),
    tools: functions?.map((one) => ({ type: 'function' as const, function: one })),
    tool_choice:
      choice && typeof choice === 'object'
        ? { type: 'function', function: { name: choice.name } }
        : (choice ?? undefined),
  }
}

/** Calls of the assistant become tool calls; the next message with the result of that function answers it. */
function withCallIds(messages: readonly ChatMessage[]): ChatMessage[] {
  let open: { readonly id: string; readonly name: string } | undefined
  return messages.map((message, index) => {
    const { function_call: called, ...rest } = message
    if (message.role === 'assistant' && called && messages[index + 1]?.role === 'function') {
      open = { id: `call_of_message_${index}`, name: called.name }
      return { ...rest, tool_calls: [{ id: open.id, type: 'function', function: called }] }
    }
    const asked = open
    open = undefined
    if (message.role !== 'function' || !asked || (message.name ?? asked.name) !== asked.name) return message
    return { ...rest, role: 'tool', tool_call_id: asked.id }
  })
}
