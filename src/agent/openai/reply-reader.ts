import type { TextListener } from '../provider.ts'
import { asFailure } from './failure.ts'
import type { Body } from './http.ts'
import { PayloadReader } from './payloads.ts'
import type { ReplyAssembler } from './reply/reply-assembler.ts'
import type { Watchdog } from './watchdog.ts'

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
