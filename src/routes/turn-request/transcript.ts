import { createHash } from 'node:crypto'
import type { Principal } from '../../accounts/principal.ts'
import { allows } from '../../accounts/scopes.ts'
import { canonicalCalls, type SentAnswer, type Transcript } from '../../turns/run/transcript.ts'
import type { ChatBody, ChatMessage } from './chat-body.ts'
import { updateInSlices } from './hash-slices.ts'
import { plainText } from './messages.ts'
import type { ServiceOptions } from './options.ts'

/**
 * Fields of a request that separate conversations with equal messages: clients set them to a user or to a
 * conversation.
 */
const separators = ['user', 'safety_identifier', 'prompt_cache_key'] as const

/**
 * Hashes the conversation that a request sends, so that a later request which continues it finds the session. The
 * hash covers API key, named project, model, `separators` and every message in order.
 * @param whole all messages of the conversation.
 * @param sent the body of the request.
 * @returns undefined if the request may not or does not want to continue a session by its messages.
 */
export async function readTranscript(
  principal: Principal,
  whole: readonly ChatMessage[],
  sent: Pick<ChatBody, 'model'> & Readonly<Record<string, unknown>>,
  { sessionId, projectId, continues }: Pick<ServiceOptions, 'sessionId' | 'projectId' | 'continues'>,
): Promise<Transcript | undefined> {
  const { keyId, scopes } = principal
  if (continues === false || sessionId !== undefined) return undefined
  if (keyId === null || !allows(scopes, 'sessions:write')) return undefined
  const hash = createHash('sha256')
  const fields = separators.map((name) => sent[name] ?? null)
  hash.update(JSON.stringify([keyId, projectId ?? null, sent.model, ...fields]))
  const last = whole.findLastIndex(({ role }) => role === 'assistant')
  let before: Buffer | undefined
  for (const [index, message] of whole.entries()) {
    if (index === last) before = hash.copy().digest()
    for (const text of textsOf(message)) await updateInSlices(hash, text)
  }
  const answer = whole[last]
  return {
    hash: hash.digest(),
    projectId,
    ...(before && answer && { answered: { hash: before, answer: answerOf(answer) } }),
  }
}

function answerOf(message: ChatMessage): SentAnswer {
  return {
    text: plainText(message.content),
    calls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
  }
}

/**
 * A message as texts that no other message gives: JSON with the length of each long text, and then these texts. So
 * the data of files and images is never copied.
 */
function textsOf(message: ChatMessage): readonly string[] {
  const data: string[] = []
  const long = (text: string): number => {
    data.push(text)
    return text.length
  }
  const { role, name, tool_call_id: callId } = message
  const content = hasOnlyText(message)
    ? long(role === 'assistant' ? plainText(message.content).trim() : plainText(message.content))
    : partsOf(message).map((part) => {
        if (part.type === 'image_url') return ['image', long(part.image_url.url), part.image_url.detail]
        if (part.type !== 'file') return [part.type, long(part.type === 'text' ? part.text : part.refusal)]
        const { file_id: id, filename, file_data: sent } = part.file
        return ['file', id, filename, long(sent ?? '')]
      })
  const calls = canonicalCalls(answerOf(message).calls)
  const isModel = role === 'assistant'
  return [
    JSON.stringify([
      role === 'developer' ? 'system' : role,
      content,
      role === 'function' ? name : null,
      role === 'tool' ? callId : null,
      isModel ? calls : null,
    ]),
    ...data,
  ]
}

function partsOf({ content }: ChatMessage) {
  return typeof content === 'string' || !content ? [] : content
}

function hasOnlyText(message: ChatMessage): boolean {
  return partsOf(message).every(({ type }) => type === 'text' || type === 'refusal')
}
