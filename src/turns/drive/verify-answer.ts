import type { StepRecord } from '../../agent/events.ts'
import { LibraryUnavailable, outageReason, retryLibraryRead } from '../../db/library/library-outage.ts'
import { ServiceError } from '../../errors.ts'
import type { Logger } from '../../log.ts'
import type { OutsideTools } from '../../mcp-servers/mcp-servers.ts'
import { checkInThread, startChecking } from '../../sources/citations/verification.ts'
import type { TurnStop } from '../run/turn-stop.ts'
import type { Answer } from './answer.ts'
import type { ToolServices } from './turn-tools.ts'

export type AnswerVerifier = ReturnType<typeof answerVerifier>

export type VerifyServices = Pick<ToolServices, 'library' | 'ask'> & {
  readonly log: Logger
  readonly outside?: OutsideTools | undefined
}

/**
 * Creates the verification at the end of a turn. If a separate library database does not answer, or too many answers
 * wait, the answer stays unverified, because a finished answer is worth more than a failed turn.
 * @param clientResults results of the client's tools in the conversation.
 */
export function answerVerifier(
  { library, ask, log, outside }: VerifyServices,
  runId: string,
  stop: TurnStop,
  clientResults: readonly string[],
) {
  let isStarted = false
  /** The turn uses a tool, so its answer will probably quote. */
  const prepare = () => {
    if (!isStarted) startChecking(library)
    isStarted = true
  }
  const toolResults = [...clientResults]
  /** A step of the turn. Quotations are also looked for in the results of outside tools. */
  const add = (record: StepRecord) => {
    if (record.kind === 'tool' && outside?.get(record.call.name)) toolResults.push(record.content)
  }
  const verify = async (answer: Answer) => {
    try {
      await answer.check((written) =>
        retryLibraryRead(
          library,
          () => checkInThread(library, { ...written, toolResults }, ask, stop.turn),
          stop.writing,
        ),
      )
    } catch (error) {
      if (error instanceof LibraryUnavailable)
        log.warn({ runId, reason: outageReason(error) }, 'an answer was not verified: no library')
      else if (error instanceof ServiceError && error.code === 'overloaded')
        log.warn({ runId }, 'an answer was not verified: too many wait')
      else throw error
    }
  }
  return { prepare, add, verify }
}
