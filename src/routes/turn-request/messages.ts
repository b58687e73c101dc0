import type { ContentPart, ImagePart, ModelMessage, Sampling, ToolChoice } from '../../agent/provider.ts'
import { ServiceError } from '../../errors.ts'
import type { RunRequest } from '../../turns/run/run-request.ts'
import type { FilePart } from './attachments.ts'
import type { ChatBody, ChatMessage } from './chat-body.ts'
import type { ServiceOptions } from './options.ts'

/**
 * Converts the client's messages to the agent's form.
 * @throws ServiceError `invalid_value` for an image when the model reads no images.
 */
export function toModelMessages(
  sent: readonly ChatMessage[],
  readsImages: boolean,
  idOf: (file: FilePart) => string,
): readonly ModelMessage[] {
  return sent.map((message, i) => toModelMessage(message, readsImages, idOf, i))
}

function toModelMessage(
  message: ChatMessage,
  readsImages: boolean,
  idOf: (file: FilePart) => string,
  index: number,
): ModelMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: plainText(message.content) }
    case 'user':
      return { role: 'user', content: userContent(message.content, readsImages, idOf, index) }
    case 'assistant':
      return {
        role: 'assistant',
        content: plainText(message.content),
        toolCalls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
      }
    case 'tool': {
      const images = imagesOf(message.content, readsImages, index)
      // A tool message without text is refused by several servers.
      const text = plainText(message.content) || (images.length > 0 ? '[image]' : '')
      const callId = message.tool_call_id ?? ''
      return { role: 'tool', callId, content: text, ...(images.length > 0 && { images }) }
    }
    case 'function':
      // The older `function` role has no call id, so its content becomes a message of the user.
      return {
        role: 'user',
        content: `Result of ${message.name ?? 'function'}: ${plainText(message.content)}`,
      }
  }
}

type SentContent = ChatMessage['content']

export function plainText(content: SentContent): string {
  if (typeof content === 'string') return content
  return (content ?? [])
    .map((part) => (part.type === 'text' ? part.text : part.type === 'refusal' ? part.refusal : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function userContent(
  content: SentContent,
  readsImages: boolean,
  idOf: (file: FilePart) => string,
  index: number,
): string | readonly ContentPart[] {
  const isText = ({ type }: Part) => type === 'text' || type === 'refusal'
  if (typeof content === 'string' || !content || content.every(isText)) return plainText(content)
  const images = [...imagesOf(content, readsImages, index)]
  return content.flatMap((part): ContentPart[] => {
    if (part.type === 'text') return [part]
    if (part.type === 'file') return [{ type: 'file', fileId: idOf(part) }]
    return part.type === 'image_url' ? images.splice(0, 1) : []
  })
}

type Part = Exclude<NonNullable<SentContent>, string>[number]

/** @throws ServiceError `invalid_value` if there are images and the model reads none. */
function imagesOf(content: SentContent, readsImages: boolean, index: number): readonly ImagePart[] {
  const parts = typeof content === 'string' ? [] : (content ?? [])
  return parts.flatMap((part, at): readonly ImagePart[] => {
    if (part.type !== 'image_url') return []
    if (!readsImages) {
      throw new ServiceError('invalid_value', 'The model cannot read images. Describe the image in words.', {
        param: `messages[${index}].content[${at}]`,
      })
    }
    const { url, detail } = part.image_url
    return [{ type: 'image_url', url, ...(detail && { detail }) }]
  })
}

/** The options that a run stores. */
export type StoredOptions = Pick<ServiceOptions, 'sources' | 'isolates' | 'tools' | 'citationStyle'>

/** The part of the request that the run stores, apart from its messages. */
export function toRunRequest(body: ChatBody, options: StoredOptions): RunRequest {
  const structured = structuredFormatOf(body)
  return {
    sampling: samplingOf(body, structured),
    // `none` concerns the client's tools only; the agent keeps its own.
    clientTools: offeredTools(body).map(({ function: f }) => ({
      name: f.name,
      description: f.description ?? '',
      parameters: f.parameters ?? { type: 'object', properties: {} },
    })),
    ...customToolsOf(body),
    toolChoice: toolChoiceOf(body),
    // A reply that must parse as JSON cannot contain citation numbers or a list of sources.
    sources: structured ? 'block' : options.sources,
    isolates: options.isolates,
    ...(options.tools && { toolGroups: options.tools }),
    ...(options.citationStyle === 'links' && { citationStyle: 'links' }),
  }
}

/** The form of an answer that must be JSON. Fields that are null are left out: the model's server may refuse a null. */
function structuredFormatOf({ response_format: format }: ChatBody): Record<string, unknown> | undefined {
  if (!format || format.type === 'text') return undefined
  if (format.type === 'json_object') return format
  const { type, json_schema: schema } = format
  const given = Object.entries(schema).filter(([, value]) => value !== null)
  return { type, json_schema: Object.fromEntries(given) }
}

function samplingOf(body: ChatBody, responseFormat: Record<string, unknown> | undefined): Sampling {
  const maxTokens = body.max_completion_tokens ?? body.max_tokens
  return {
    ...(typeof body.temperature === 'number' && { temperature: body.temperature }),
    ...(typeof body.top_p === 'number' && { topP: body.top_p }),
    ...(typeof maxTokens === 'number' && { maxTokens }),
    ...(body.stop && { stop: typeof body.stop === 'string' ? [body.stop] : body.stop }),
    ...(typeof body.seed === 'number' && { seed: body.seed }),
    ...(body.reasoning_effort && { reasoningEffort: body.reasoning_effort }),
    ...(body.user && { user: body.user }),
    ...(responseFormat && { responseFormat }),
  }
}

/** The client's functions that its `tool_choice` allows. */
function offeredTools({ tools, tool_choice: choice }: ChatBody): NonNullable<ChatBody['tools']> {
  if (!tools || choice === 'none') return []
  if (!choice || typeof choice === 'string' || choice.type !== 'allowed_tools') return tools
  const names = new Set(choice.allowed_tools.tools.map((tool) => tool.function?.name))
  return tools.filter((tool) => names.has(tool.function.name))
}

function customToolsOf(body: ChatBody): Pick<RunRequest, 'customTools'> {
  const custom = offeredTools(body).flatMap(({ function: f }) =>
    f.custom ? [[f.name, f.custom] as const] : [],
  )
  return custom.length === 0 ? {} : { customTools: Object.fromEntries(custom) }
}

function toolChoiceOf(body: ChatBody): ToolChoice {
  const choice = body.tool_choice
  if (!choice || choice === 'none' || offeredTools(body).length === 0) return 'auto'
  if (typeof choice === 'string') return choice
  switch (choice.type) {
    case 'function':
      return { name: choice.function.name }
    case 'allowed_tools':
      return choice.allowed_tools.mode
  }
}
