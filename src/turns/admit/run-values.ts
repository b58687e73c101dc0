import type { Principal } from '../../accounts/principal.ts'
import type { ModelMessage } from '../../agent/provider.ts'
import { newId } from '../../ids.ts'
import { questionOf } from '../run/model-history.ts'
import type { Run } from '../run/run.ts'
import type { Admission } from './admission-types.ts'
import type { TurnInput } from './turn-input.ts'

/** A new run without the columns that the server sets. */
export function newRun(
  { accountId, keyId, memberId }: Principal,
  input: TurnInput,
  { runId, limits, clientAt }: Pick<Admission, 'runId' | 'limits' | 'clientAt'>,
) {
  return {
    id: runId,
    accountId,
    apiKeyId: keyId,
    memberId: memberId ?? null,
    messageId: newId('message'),
    model: input.model,
    request: input.request,
    requestHash: input.identity.hash,
    maxMicros: limits.maxMicros,
    onDisconnect: input.onDisconnect,
    clientAt,
    ...untouched,
  }
}

/** Columns of a run that its execution sets. */
const untouched = {
  reply: null,
  finishReason: null,
  costMicros: 0n,
  stepCount: 0,
  eventCount: 0,
  cancelRequestedAt: null,
  clientClosedAt: null,
  finishedAt: null,
} satisfies Partial<Run>

/**
 * The input as rows for the admitting statement.
 * @param transcript hash of the conversation up to the last of these messages, which gets it.
 */
export function inputRows(messages: readonly ModelMessage[], transcript?: Buffer): string {
  const last = messages.length - 1
  const rows = messages.map((content, position) => ({
    id: newId('message'),
    position,
    content,
    ...(position === last && transcript && { transcript: transcript.toString('hex') }),
  }))
  return JSON.stringify(rows)
}

export function hasQuestion(fresh: readonly ModelMessage[]): boolean {
  return fresh.some((message) => message.role === 'user' || message.role === 'tool')
}

const maxName = 80

/** The first question becomes the session's name. A longer one ends with an ellipsis, after a whole word if possible. */
export function sessionNameOf(input: readonly ModelMessage[]): string {
  const letters = [...questionOf(input).replaceAll(/\s+/g, ' ').trim()]
  if (letters.length <= maxName) return letters.join('')
  const start = letters.slice(0, maxName - 1).join('')
  return `${start.replace(/(?<=.{40})[\s,;:.–-]+\S{0,20}$/u, '')}…`
}
