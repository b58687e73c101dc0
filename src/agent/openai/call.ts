import type { CallEnd, Finish, ModelRequest, TextListener } from '../provider.ts'
import type { UsageJudge } from '../usage.ts'
import { asFailure } from './failure.ts'
import { type Body, openReply, releaseBody, type Target } from './http.ts'
import { PayloadReader } from './payloads.ts'
import { type AssembledReply, ReplyAssembler } from './reply/reply-assembler.ts'
import type { ReasoningHabit } from './reply/reply-text.ts'
import type { Watchdog } from './watchdog.ts'

export type CallSettings = {
  readonly target: Target
  /** What the upstream's replies have shown. Updated by each reply. */
  readonly reasoning: ReasoningHabit
  readonly judge: UsageJudge
}

/** One call of an OpenAI-compatible server. Its listener gets at most one text per network read. */
export async function attempt(
  settings: CallSettings,
  request: ModelRequest,
  watch: Watchdog,
  onText: TextListener,
): Promise<CallEnd> {
  const { target, reasoning } = settings
  const { body, leftOut } = await openReply(target, request, watch)
  const offered = request.tools.map(({ name }) => name)
  const reply = new ReplyAssembler(target.apiKey, offered, reasoning)
  try {
    if (!(await readReply(body, reply, watch, onText))) return { type: 'enough' }
    return { ...finish(settings, request, reply.finish()), ...(leftOut.length > 0 && { leftOut }) }
  } finally {
    await releaseBody(body, reply.done)
  }
}

function finish(
  { judge, target }: CallSettings,
  request: ModelRequest,
  { reason, toolCalls, refusal, written, reported, attached: json }: AssembledReply,
): Finish {
  const usage = judge(request, written, reported)
  const attached = json !== undefined && { attached: { upstream: target.upstream, json } }
  return { type: 'finish', reason, toolCalls, usage, ...(refusal !== '' && { refusal }), ...attached }
}

/**
 * Reads one reply from its body and passes the text of each network read to `onText`, which must not throw, until
 * the reply ends.
 * @returns whether `onText` accepted all of it.
 * @throws CallFailure if a part of the reply was lost.
 */
export async function readReply(
  body: Body,
  reply: ReplyAssembler,
  watch: Watchdog,
  onText: TextListener,
): Promise<boolean> {
  let wanted = true
  try {
    await new PayloadReader(body, watch).read((payloads) => {
      const fault = reply.acceptAll(payloads)
      const text = reply.takeText()
      wanted = text === '' || onText(text)
      if (!wanted || reply.done) return false
      if (fault) throw fault
      watch.expect(reply.finished ? 'trailer' : 'idle')
      return true
    })
    reply.end()
    const rest = reply.takeText()
    if (wanted && rest !== '') wanted = onText(rest)
  } catch (fault) {
    const failure = watch.failure ?? asFailure(fault)
    // Only the usage may be missing, so a connection that breaks or stalls now loses nothing else.
    const complete = reply.finished && (failure.kind === 'timeout' || failure.retryable)
    if (!complete) throw failure
  }
  return wanted
}
