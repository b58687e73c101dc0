import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A text that a model was given, with its address: SHA-256 in hexadecimal. */
export type InstructionText = { readonly hash: string; readonly text: string }

/** What the first message of a conversation tells a model, before the client's own system messages. */
export type Prompt = {
  /** Our part. */
  readonly own: InstructionText
  /** What the host added. */
  readonly host: InstructionText | null
  /** Both. */
  readonly text: string
}

/** The instructions of a host. */
export type HostInstructions = {
  readonly text: string
  /** Whether they stand in place of `manner.md`; otherwise they follow it. */
  readonly replace: boolean
}

export function instructionText(text: string): InstructionText {
  return { hash: createHash('sha256').update(text).digest('hex'), text }
}

/** Read next to this file, which the bundle does too. */
function read(file: string): string {
  return readFileSync(new URL(`./${file}.md`, import.meta.url), 'utf8').trim()
}

/** The prompt of turns with tools. What citations and people in danger need stands in it in any case. */
export function agentPrompt(host?: HostInstructions): Prompt {
  const parts = host?.replace ? ['citations'] : ['citations', 'manner']
  return joined(parts.map(read).join('\n\n'), host)
}

/** The prompt of a model for utility requests, which has no tools. It is charged with each of them, so it is short. */
export function litePrompt(): Prompt {
  return joined(read('lite'))
}

function joined(own: string, host?: HostInstructions): Prompt {
  return {
    own: instructionText(own),
    host: host ? instructionText(host.text) : null,
    text: withInstructions(own, host?.text),
  }
}

/** Instructions and what follows them, of somebody whose say is narrower. */
export function withInstructions(first: string, next: string | undefined): string {
  return next === undefined ? first : `${first}\n\n${next}`
}

const descriptions = new Map<string, string>()

/** What a model reads about a tool. Each has a file in `tools`. */
export function toolDescription(name: string): string {
  const known = descriptions.get(name) ?? read(`tools/${name}`)
  descriptions.set(name, known)
  return known
}
