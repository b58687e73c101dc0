import { planOfAccount } from '../../accounts/accounts.ts'
import { defaultLimits } from '../../agent/limits.ts'
import type { LoopInput } from '../../agent/loop/loop-input.ts'
import { answerFormatOf, formatInstruction } from '../../agent/schema/answer-format.ts'
import type { Toolbox } from '../../agent/tools.ts'
import { type Database, type Executor, withTx } from '../../db/client.ts'
import { reasonOf } from '../../db/errors.ts'
import { retryTransient } from '../../db/retry.ts'
import { messageOf } from '../../errors.ts'
import { newId } from '../../ids.ts'
import type { Logger } from '../../log.ts'
import type { McpServers, OutsideTools } from '../../mcp-servers/mcp-servers.ts'
import type { Catalogue, CatalogueModel } from '../../models/model-catalogue.ts'
import { samplingFor } from '../../models/sampling.ts'
import type { Moderation } from '../../moderation/moderation.ts'
import type { Fallback } from '../../sources/fallback/fallback.ts'
import type { AskPublisher } from '../../sources/library/publisher.ts'
import type { Tracer } from '../../tracing.ts'
import { isStoreFault } from '../../workspace/object-store.ts'
import { foldLog, longestOpenText } from '../record/fold-log.ts'
import { RunJournal } from '../record/journal.ts'
import { readLog } from '../record/run-log.ts'
import type { SharedAppends } from '../record/shared-appends.ts'
import type { TurnStore } from '../record/turn-store.ts'
import type { Signals } from '../replicas/signals.ts'
import { instructionsOfRun } from '../run/instructions.ts'
import { clientResultsOf, givenNumbers, modelHistory, questionOf } from '../run/model-history.ts'
import type { Run } from '../run/run.ts'
import { stepOf } from '../run/run-events.ts'
import type { RunRequest } from '../run/run-request.ts'
import { readTranscript } from '../run/transcript.ts'
import type { TurnStop } from '../run/turn-stop.ts'
import { presentFiles } from './attached-files.ts'
import { callBudget } from './call-budget.ts'
import type { LiveRun } from './live-runs.ts'
import { RunRecorder } from './run-recorder.ts'
import type { TurnMetrics } from './turn-metrics.ts'
import { type ToolServices, turnTools } from './turn-tools.ts'
import { TurnWatch } from './turn-watch.ts'

export type TurnServices = RunnerServices & {
  readonly signals: Signals
  readonly store: TurnStore
  readonly appends: SharedAppends
}

/** What a process needs to drive runs. */
export type RunnerServices = Omit<ToolServices, 'ask'> & {
  readonly catalogue: Catalogue
  /** Undefined: texts that the library does not have are not fetched. */
  readonly fallback?: Fallback | undefined
  /** Undefined: nothing is moderated. */
  readonly moderation?: Moderation | undefined
  /** Undefined: turns have no tools of outside servers. */
  readonly mcpServers?: McpServers | undefined
  readonly log: Logger
  /** Undefined: no metrics, and no traces. */
  readonly metrics?: TurnMetrics | undefined
  readonly tracer?: Tracer | undefined
}

/**
 * `freed`: the run has ended, and another turn may have waited for it. `given-up`: another replica has to
 * continue it.
 */
export type Outcome = 'ended' | 'freed' | 'given-up'

type Conversation = LoopInput<Executor>['messages']

const emptyLog = { events: [], steps: [] }

/**
 * Drives one attempt at a run from its journal to its end. Events go to the readers of this process through the
 * live run, and to the database through the journal. It waits during transient database errors. It never
 * throws: an error ends the run, and a run with another owner is left alone.
 * @param known the conversation, if this process has just written it. It is then not read again.
 */
export async function runTurn(
  services: TurnServices,
  run: Run,
  live: LiveRun,
  stop: TurnStop,
  known?: Conversation,
): Promise<Outcome> {
  const model = services.catalogue.find(run.model)
  const watch = new TurnWatch(services, run)
  let journal: RunJournal | undefined
  try {
    const { transcript, log } =
      known && run.epoch === 1
        ? { transcript: known, log: emptyLog }
        : await retryTransient(() => readRun(services.database, run), stop.writing)
    const state = foldLog(log)
    // Readers of this process start at the first event, whichever attempt wrote it.
    for (const { event } of state.events) if (stepOf(event) <= state.steps.length) live.push(event)
    const outside = model?.usesOutsideTools ? await outsideTools(services, run, stop.writing) : undefined
    const price = model?.price ?? freePrice
    journal = new RunJournal(run, {
      store: services.store,
      price: outside?.priced(price) ?? price,
      costMicros: state.costMicros,
      appends: services.appends,
      leave: stop.writing,
      onCommit: () => services.signals.send({ kind: 'events', runId: run.id }),
      onFault: (error) => stop.leave(error instanceof Error ? error : new Error(messageOf(error))),
    })
    const given = givenNumbers(transcript)
    const left = {
      ...{ state, partialText: longestOpenText(log), given },
      ...{ question: questionOf(transcript), clientResults: clientResultsOf(transcript) },
    }
    const ask = services.fallback?.forTurn()
    const turn = new RunRecorder({ ...services, ask, model, outside }, run, live, journal, left, stop, watch)
    turn.begin()
    let freed: boolean
    if (!model)
      freed = await turn.fail(`The model "${run.model}" is no longer in the catalogue. Choose another one.`)
    else if (run.epoch > maxAttempts)
      freed = await turn.fail('The turn was interrupted too many times. Ask again as a new request.')
    else {
      const history = await modelHistory(transcript, given)
      freed = await driveLoop({ ...services, ask, outside }, run, model, turn, history, stop, watch)
    }
    watch.released()
    return freed ? 'freed' : 'ended'
  } catch (error) {
    live.abandon()
    watch.released(stop.writing.reason ?? error)
    const reason = reasonOf(error)
    services.log.warn({ runId: run.id, epoch: run.epoch, reason }, 'attempt at a run given up')
    return 'given-up'
  } finally {
    await journal?.close()
  }
}

/**
 * Fraction of the model's window for the conversation. The rest is for tool descriptions, the reply and the
 * error of our estimate.
 */
const contextShare = 0.75

/** A turn that crashes its process each time must not be retried forever. */
const maxAttempts = 8

const freePrice = { inputMicrosPerToken: 0n, outputMicrosPerToken: 0n, toolCallMicros: 0n }

/** The outside tools of the turn, as the plan of its account allows them. */
async function outsideTools(
  { mcpServers, database, plans }: TurnServices,
  run: Run,
  signal: AbortSignal,
): Promise<OutsideTools | undefined> {
  return mcpServers?.forTurn(async () => {
    const find = () => withTx(database, run, (tx) => planOfAccount(tx, plans, run.accountId))
    return (await retryTransient(find, signal)).name
  })
}

/** @returns whether other turns may have waited for this one. */
async function driveLoop(
  services: Omit<LoopServices, 'told'>,
  run: Run,
  model: CatalogueModel,
  turn: RunRecorder,
  history: Conversation,
  stop: TurnStop,
  watch: TurnWatch,
): Promise<boolean> {
  try {
    const present = () => presentFiles(services, run, history, model.readsImages)
    const shown = await retryTransient(present, stop.writing)
    const read = () => instructionsOfRun(services.database, run, model.prompt)
    const told = await retryTransient(read, stop.writing)
    return await turn.drive(loopInput({ ...services, told }, run, model, turn, shown, stop, watch))
  } catch (error) {
    if (!isStoreFault(error)) throw error
    services.log.error({ runId: run.id, reason: error.cause }, error.message)
    return turn.fail(error.message)
  }
}

/** Reads what an attempt continues from: the conversation and the log. */
function readRun(database: Database, run: Run) {
  return withTx(database, run, async (tx) => ({
    transcript: await readTranscript(tx, run),
    log: run.eventCount > 0 ? await readLog(tx, run.id) : emptyLog,
  }))
}

/** Whether the turn has our `read_file`. A client's tool with the same name replaces it. */
function readsFiles({ clientTools, toolGroups }: RunRequest): boolean {
  const replaced = clientTools.some(({ name }) => name === 'read_file')
  return !replaced && (toolGroups?.includes('files') ?? true)
}

const noTools: Toolbox<Executor> = { specs: [], get: () => undefined }

type LoopServices = TurnServices & {
  readonly ask?: AskPublisher | undefined
  readonly outside?: OutsideTools | undefined
  /** What the model is told before the conversation. */
  readonly told: string
}

function loopInput(
  services: LoopServices,
  run: Run,
  model: CatalogueModel,
  turn: RunRecorder,
  { messages, firstCalls }: Awaited<ReturnType<typeof presentFiles>>,
  stop: TurnStop,
  watch: TurnWatch,
): LoopInput<Executor> {
  const request = run.request as RunRequest
  const format = answerFormatOf(request.sampling)
  const { isLite } = model
  const tools = turnTools(services, run, turn.sourceMarks, request.toolGroups, services.outside)
  return {
    provider: watch.provider(model.provider),
    // A model for utility requests has no tools, not even the client's.
    tools: watch.tools(isLite ? noTools : tools),
    clientTools: isLite ? [] : request.clientTools,
    toolChoice: isLite ? 'auto' : request.toolChoice,
    messages: [{ role: 'system', content: services.told + formatInstruction(format) }, ...messages],
    firstCalls: readsFiles(request) && !isLite ? firstCalls : [],
    finished: turn.journaled,
    sampling: samplingFor(model, request.sampling),
    limits: { ...defaultLimits, contextTokens: Math.floor(model.contextTokens * contextShare) },
    journal: turn.steps,
    ...callBudget(services.database, run, turn.journal, stop, model.price, () => turn.step),
    newCallId: () => newId('call'),
    signal: stop.turn,
  }
}
