import { and, eq } from 'drizzle-orm'
import { creditsText } from '../../billing/credits.ts'
import type { Executor } from '../../db/client.ts'
import { ledger } from '../../db/schema/index.ts'
import type { AdmissionFacts, RetryRule } from '../admit/admission-types.ts'
import { type CommittedStep, readLog } from '../record/run-log.ts'
import type { Run } from '../run/run.ts'
import { replyOf } from '../run/run-events.ts'
import type { RunRequest } from '../run/run-request.ts'

/** What the row of a run keeps of its admission. */
type Admission = Partial<AdmissionFacts> & {
  readonly available_micros?: number
  readonly open_turns?: number
  readonly repeats?: readonly { readonly at: string; readonly rule: RetryRule }[]
}

const rules: Readonly<Record<AdmissionFacts['rule'], string>> = {
  plain:
    'one statement admitted it: no limit was reached, and no equal request of its key was unfinished elsewhere or had lost its client',
  looked: 'every rule was looked at in turn, and none refused it',
  queued: 'it waits behind the unfinished turn of its session, whose slot it shares',
}

const repeatRules: Readonly<Record<RetryRule, string>> = {
  idempotency_key: 'it had the same Idempotency-Key',
  marked_as_retry: 'its client marked it as a retry',
  client_disconnected: 'it was equal, and the client of this run had disconnected',
  replica_ended: 'it was equal, and the replica that served the client of this run had ended',
}

/**
 * Tells in words why a run was admitted, which requests got it again, what it held, paid and gave back, and which attempts,
 * models and servers took part. Refused requests have no run: the log has a line for each.
 */
export async function explainRun(executor: Executor, run: Run): Promise<readonly string[]> {
  const { steps } = await readLog(executor, run.id)
  const [charge] = await executor
    .select()
    .from(ledger)
    .where(and(eq(ledger.runId, run.id), eq(ledger.kind, 'charge')))
  return [
    ...admissionOf(run),
    ...repeatsOf(run),
    holdOf(run),
    ...attemptsOf(run),
    ...steps.map(stepText),
    ...endOf(run, charge),
  ]
}

const factsOf = ({ admission }: Run): Admission => (admission ?? {}) as Admission

function admissionOf(run: Run): readonly string[] {
  const { rule, equal_run: equal, available_micros: available, open_turns: open } = factsOf(run)
  const by = run.apiKeyId === null ? 'a person' : `API key ${run.apiKeyId}`
  return [
    `Admitted ${iso(run.createdAt)} for ${by}, as turn ${run.turn} of session ${run.sessionId}${rule ? `: ${rules[rule]}.` : '.'}`,
    ...(available === undefined
      ? []
      : [
          `Before it, the account had ${creditsText(BigInt(available))} credits and used ${open} of its slots.`,
        ]),
    ...(equal === undefined
      ? []
      : [
          `The equal run ${equal} was unfinished then; its client was connected to another replica, so this is a turn of its own.`,
        ]),
  ]
}

function repeatsOf(run: Run): readonly string[] {
  return (factsOf(run).repeats ?? []).map(
    ({ at, rule }) =>
      `A request ${iso(new Date(at))} got this run again and paid nothing: ${repeatRules[rule]}.`,
  )
}

function holdOf({ holdMicros, heldAllowanceMicros, maxMicros, finishedAt }: Run): string {
  const verb = finishedAt === null ? 'Holds' : 'Held'
  return `${verb} ${creditsText(holdMicros)} credits, ${creditsText(heldAllowanceMicros)} of them of the month's allowance; at most ${creditsText(maxMicros)}.`
}

function attemptsOf(run: Run): readonly string[] {
  const { sampling } = run.request as RunRequest
  const started = run.startedAt ? `It began ${iso(run.startedAt)}` : 'It has not begun'
  const limit = sampling.maxTokens === undefined ? '' : `, with at most ${sampling.maxTokens} tokens a reply`
  return [
    `${started}, with the model ${run.model}${limit}.`,
    ...(run.epoch > 1 ? [`${run.epoch} attempts: each began when another process took the run over.`] : []),
    ...(run.clientClosedAt ? [`Its client was seen to disconnect ${iso(run.clientClosedAt)}.`] : []),
    ...(run.cancelRequestedAt ? [`Somebody asked to cancel it ${iso(run.cancelRequestedAt)}.`] : []),
  ]
}

function stepText({ step, epoch, record, costMicros }: CommittedStep): string {
  const cost = `${creditsText(costMicros)} credits, attempt ${epoch}`
  if (record.kind === 'tool')
    return `Step ${step}: tool ${record.call.name}${record.isError ? ' failed' : ''} (${cost}).`
  if (record.preset) return `Step ${step}: the turn itself called its first tools (${cost}).`
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens, estimated } =
    record.usage
  const tokens = [
    `${promptTokens} tokens read`,
    cachedTokens && `${cachedTokens} of them from the cache`,
    cacheWriteTokens && `${cacheWriteTokens} of them written to the cache`,
    `${completionTokens} written`,
    reasoningTokens && `${reasoningTokens} of them for reasoning`,
    estimated && 'estimated',
  ]
    .filter(Boolean)
    .join(', ')
  const { upstream, leftOut } = record
  const passed = upstream?.passed.map(({ name, reason }) => `${name} (${reason})`).join(', ')
  return [
    `Step ${step}: a model reply${record.unfinished ? ', cut off' : ''}: ${tokens} (${cost}).`,
    ...(upstream ? [`It came from ${upstream.name}${passed ? `, after ${passed}` : ''}.`] : []),
    ...(leftOut?.length ? [`The model's server refused ${leftOut.join(', ')}.`] : []),
  ].join(' ')
}

function endOf(run: Run, charge: typeof ledger.$inferSelect | undefined): readonly string[] {
  if (run.finishedAt === null) return ['It has not ended.']
  const reply = replyOf(run)
  const how = [run.status, run.finishReason, reply?.type === 'run.failed' && reply.code]
    .filter(Boolean)
    .join(', ')
  const ended = `Ended ${iso(run.finishedAt)}: ${how}.`
  if (!charge) return [ended, 'Nothing was charged, and the whole hold went back.']
  const paid = -(charge.allowanceMicros + charge.grantedMicros)
  return [
    ended,
    `Charged ${creditsText(paid)} credits (ledger entry ${charge.id}), ${creditsText(-charge.allowanceMicros)} of them from the allowance; ${creditsText(run.holdMicros - paid)} went back.`,
  ]
}

const iso = (at: Date): string => at.toISOString()
