import type { Moderation } from '../../moderation/moderation.ts'
import type { Run } from '../run/run.ts'

/** Undefined: nothing is moderated. */
export type AnswerModeration = { readonly moderation?: Moderation | undefined }

/**
 * Says whether the moderation server refuses the text of an answer. The text stays as it is, because readers of the stream
 * have it already.
 */
export function answerJudge({ moderation }: AnswerModeration, { accountId, id }: Run) {
  return async (text: string): Promise<boolean> =>
    moderation !== undefined && (await moderation.judge(text, { accountId, runId: id })) !== 'passed'
}
