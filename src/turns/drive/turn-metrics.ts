import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { StepRecord } from '../../agent/events.ts'
import type { ProviderFailure } from '../../agent/provider.ts'
import { microsPerCredit } from '../../billing/credits.ts'
import { statusOf, type TerminalEvent } from '../run/run-events.ts'

/** The tools of a turn, by their names. */
export type KnownTools = { get(name: string): object | undefined }

/** Metrics of turns for Prometheus. Called a few times per turn, never per token. */
export type TurnMetrics = ReturnType<typeof createTurnMetrics>

const secondsOfTurns = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_800]

/** Registers the metrics of turns. */
export function createTurnMetrics(registry: Registry) {
  const m = metricsOf(registry)
  return {
    /** A request has started a turn. */
    started: (state: 'in_progress' | 'queued') => m.started.inc({ state }),
    /** A new turn was refused because the process is under pressure. */
    refused: (reason: string) => m.refused.inc({ reason }),
    /** This process took over a run from another owner. */
    takenOver: () => m.takeovers.inc(),
    /** This process starts, or stops, driving a run. */
    leased: () => m.leases.inc(),
    released(lost: boolean) {
      m.leases.dec()
      if (lost) m.lost.inc()
    },
    firstText: (seconds: number) => m.firstText.observe(seconds),
    /**
     * @param knownTools the tools that exist. Other names are invented by the model and would create unbounded
     *   labels.
     */
    step(record: StepRecord, knownTools: KnownTools) {
      m.steps.inc({ kind: record.kind })
      if (record.kind === 'tool') {
        const tool = knownTools.get(record.call.name) ? record.call.name : 'unknown'
        m.toolCalls.inc({ tool, outcome: record.isError ? 'error' : 'ok' })
        return
      }
      m.tokens.inc({ direction: 'prompt' }, record.usage.promptTokens)
      m.tokens.inc({ direction: 'completion' }, record.usage.completionTokens)
    },
    ended(event: TerminalEvent, seconds: number) {
      const status = statusOf(event)
      m.ended.inc({ status, reason: reasonOf(event) })
      m.duration.observe({ status }, seconds)
      m.credits.inc(Number(event.end.usage.cost_micros) / Number(microsPerCredit))
    },
    upstreamFailed(kind: ProviderFailure) {
      if (kind !== 'aborted') m.upstreamErrors.inc({ kind })
    },
  }
}

function metricsOf(registry: Registry) {
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers: [registry] })
  const histogram = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Histogram({ name, help, labelNames, buckets: secondsOfTurns, registers: [registry] })
  const held = 'Runs that this process drives'
  return {
    started: counter('service_turns_started_total', 'Turns that requests to this process started', 'state'),
    refused: counter('service_turns_refused_total', 'New turns refused under pressure', 'reason'),
    ended: counter('service_turns_ended_total', 'Turns that this process ended', 'status', 'reason'),
    duration: histogram('service_turn_duration_seconds', 'From the request to the end of the turn', 'status'),
    firstText: histogram(
      'service_turn_time_to_first_token_seconds',
      'From the request to the first text of the answer',
    ),
    steps: counter('service_turn_steps_total', 'Finished steps: model replies and tool results', 'kind'),
    toolCalls: counter('service_tool_calls_total', 'Finished calls of the tools', 'tool', 'outcome'),
    tokens: counter('service_model_tokens_total', 'Tokens of model calls', 'direction'),
    credits: counter('service_credits_charged_total', 'Credits charged for turns that this process ended'),
    upstreamErrors: counter(
      'service_upstream_errors_total',
      'Failures of calls to the model, those that were tried again included',
      'kind',
    ),
    leases: new Gauge({ name: 'service_leases_held', help: held, registers: [registry] }),
    takeovers: counter('service_lease_takeovers_total', 'Runs of lost owners gone on with here'),
    lost: counter('service_leases_lost_total', 'Runs that this process lost while it drove them'),
  }
}

function reasonOf(event: TerminalEvent): string {
  if (event.type === 'run.completed') return event.reason
  return event.type === 'run.failed' ? event.code : 'cancelled'
}
