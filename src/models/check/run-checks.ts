import type { CallEnd } from '../../agent/provider.ts'
import { storable } from '../../agent/storable-text.ts'
import { creditsText } from '../../billing/credits.ts'
import { modelCallMicros } from '../../billing/pricing.ts'
import type { CatalogueModel } from '../model-catalogue.ts'
import { type CheckedCall, CheckedModel, FailedCall } from './checked-model.ts'
import type { CheckResult, CheckStatus, ModelCheck } from './model-check.ts'
import { answerChecks, closingChecks, textChecks } from './text-checks.ts'
import { toolChecks } from './tool-checks.ts'
import { type Check, fails, type Verdict } from './verdict.ts'
import { checkWording, type FindingId, findingWording } from './wording.ts'

/** Checks start while the run has used fewer tokens. A reasoning model could otherwise run up a bill. */
const maxRunTokens = 150_000

export type CheckOptions = {
  /** Ends the run. The checks so far are in its result. */
  readonly signal: AbortSignal
  /** The first impossible token count that the model's server sent, in words. See `CatalogueListeners`. */
  readonly falseUsage?: () => string | undefined
  readonly onResult?: (result: CheckResult) => void
  /** The clock, in milliseconds; for tests. */
  readonly now?: () => number
}

/** Runs all checks of a model, one after the other, against its server. */
export async function checkModel(
  catalogued: CatalogueModel,
  { signal, falseUsage = () => undefined, onResult, now }: CheckOptions,
): Promise<ModelCheck> {
  const checkedAt = new Date().toISOString()
  const model = new CheckedModel(catalogued, signal, now)
  const results: CheckResult[] = []
  for (const check of [...answerChecks, ...toolChecks, ...textChecks, ...closingChecks(falseUsage)]) {
    const callsBefore = model.calls.length
    const verdict = skipped(check, results, model) ?? (await judged(check, model))
    if (signal.aborted) break
    const result = resultOf(check, verdict, model.calls.slice(callsBefore), catalogued.price)
    results.push(result)
    onResult?.(result)
  }
  return {
    ...{ model: catalogued.id, checked_at: checkedAt, interrupted: signal.aborted },
    good_enough:
      !signal.aborted &&
      !results.some(({ status, severity }) => status === 'failed' && severity === 'needed'),
    counts: countsOf(results),
    ...speedOf(model.calls),
    ...totalsOf(model.calls, catalogued.price),
    checks: results,
  }
}

function skipped(
  check: Check,
  results: readonly CheckResult[],
  { calls }: CheckedModel,
): Verdict | undefined {
  const { after = ['answer'] } = check
  const missing = results.find(
    ({ id, status }) => after.includes(id) && (status === 'failed' || status === 'skipped'),
  )
  if (missing) return { finding: 'needs_other', note: missing.title, isSkipped: true }
  const used = calls.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0)
  return used > maxRunTokens ? { finding: 'token_bound', isSkipped: true } : undefined
}

async function judged(check: Check, model: CheckedModel): Promise<Verdict> {
  const callsBefore = model.calls.length
  try {
    const verdict = await check.run(model)
    return verdict.finding === undefined ? (adaptation(model.calls.slice(callsBefore)) ?? verdict) : verdict
  } catch (error) {
    if (!(error instanceof FailedCall)) throw error
    return failureOf(check, error.call)
  }
}

/** What works, but not as it was asked. */
function adaptation(calls: readonly CheckedCall[]): Verdict | undefined {
  const ends = calls.map(({ end }) => end)
  const leftOut = new Set(ends.flatMap((end) => (end.type === 'finish' ? (end.leftOut ?? []) : [])))
  if (leftOut.size > 0) return { finding: 'left_out', note: [...leftOut].join(', '), isAdapted: true }
  const passed = ends.flatMap(({ upstream }) => upstream?.passed ?? [])
  if (passed.length === 0) return undefined
  const note = passed.map(({ name, reason }) => `${name} (${reason})`).join(', ')
  return { finding: 'other_server', note, isAdapted: true }
}

function failureOf(check: Check, { end, text }: CheckedCall): Verdict {
  return end.type === 'error' ? fails(findingOf(check, end, text), end.message) : fails('endless_reply')
}

const byStatus: Readonly<Record<number, FindingId>> = {
  401: 'unauthorized',
  403: 'unauthorized',
  404: 'not_found',
  429: 'rate_limited',
}

/** @param text what arrived before the error. */
function findingOf(check: Check, end: Extract<CallEnd, { type: 'error' }>, text: string): FindingId {
  if (end.kind === 'context') return 'window_smaller'
  if (end.kind === 'timeout') return 'no_reply_in_time'
  const known = byStatus[end.status ?? 0]
  // A server that has answered before knows the key and the model: it refuses what this check adds.
  if (known && (check.id === 'answer' || end.status === 429)) return known
  if (end.kind === 'rejected' || known) return check.refused ?? 'request_refused'
  // llama.cpp refuses tools and images with 500.
  if (end.status === 500 && check.refused) return check.refused
  if (end.status !== undefined) return 'server_failed'
  return text === '' && check.id === 'answer' ? 'no_reply' : 'broken_stream'
}

function resultOf(
  { id, severity = 'needed' }: Check,
  { finding, note, isAdapted = false, isSkipped = false }: Verdict,
  calls: readonly CheckedCall[],
  price: CatalogueModel['price'],
): CheckResult {
  const status: CheckStatus =
    finding === undefined ? 'ok' : isSkipped ? 'skipped' : isAdapted ? 'adapted' : 'failed'
  const { prompt_tokens, completion_tokens, credits } = totalsOf(calls, price)
  // The words of a server may have characters that Postgres does not store.
  const said = note === undefined ? {} : { note: storable(note) }
  return {
    ...{ id, ...checkWording[id], severity, status, ...said },
    ...(finding && { finding, ...sentences(finding, said.note) }),
    ...{ calls: calls.length, prompt_tokens, completion_tokens, credits },
    ms: Math.round(calls.reduce((sum, { ms }) => sum + ms, 0)),
  }
}

function sentences(finding: FindingId, note: string | undefined): Pick<CheckResult, 'detail' | 'remedy'> {
  const { says, remedy } = findingWording[finding]
  return { detail: note === undefined ? `${says}.` : `${says}: ${note}`, remedy: `${remedy}.` }
}

function countsOf(results: readonly CheckResult[]): ModelCheck['counts'] {
  const count = (status: CheckStatus) => results.filter((result) => result.status === status).length
  return { ok: count('ok'), adapted: count('adapted'), failed: count('failed'), skipped: count('skipped') }
}

function totalsOf(calls: readonly CheckedCall[], price: CatalogueModel['price']) {
  const sum = (one: (call: CheckedCall) => number) => calls.reduce((total, call) => total + one(call), 0)
  const micros = calls.reduce((total, { usage }) => total + modelCallMicros(price, usage), 0n)
  return {
    calls: calls.length,
    prompt_tokens: sum(({ usage }) => usage.promptTokens),
    completion_tokens: sum(({ usage }) => usage.completionTokens),
    credits: creditsText(micros),
  }
}

/** A shorter reply says nothing about the speed. */
const minMeasuredMs = 100

/** Of the first call, whose text is long enough to measure. Reasoning before the first text is not counted. */
function speedOf([first]: readonly CheckedCall[]): Pick<ModelCheck, 'first_text_ms' | 'tokens_per_second'> {
  if (!first || first.firstTextMs === null) return { first_text_ms: null, tokens_per_second: null }
  const writingMs = first.ms - first.firstTextMs
  const tokens = first.usage.completionTokens - (first.usage.reasoningTokens ?? 0)
  return {
    first_text_ms: Math.round(first.firstTextMs),
    tokens_per_second: writingMs >= minMeasuredMs ? Math.round((1_000 * tokens) / writingMs) : null,
  }
}
