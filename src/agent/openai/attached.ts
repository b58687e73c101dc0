import type { Json } from '../json.ts'

/**
 * What an OpenAI-compatible server attached to a reply, as `Attached.json` holds it. Unknown members are kept as they
 * came, because their meaning is the server's: DeepSeek's `reasoning_content`, OpenRouter's `reasoning_details`,
 * Gemini's `extra_content` with its thought signature.
 */
export type AttachedReply = {
  /** Members of the message besides its role, text, refusal and tool calls. */
  readonly message?: Json
  /** Parts of the message's content that are not text, such as Mistral's `thinking`. They precede the text. */
  readonly parts?: readonly Json[]
  /** One entry per tool call, in order. */
  readonly calls?: readonly AttachedCall[]
}

export type AttachedCall = {
  /** The server's id of the call. Absent if it sent none, or one that an earlier call of the reply has. */
  readonly id?: string
  /** Members of the call besides its index, id, type and function. */
  readonly members?: Json
  /** Members of its function besides name and arguments. */
  readonly function?: Json
}
