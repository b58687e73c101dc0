import type { CallEnd, Provider, UpstreamFailure } from '../agent/provider.ts'
import { Circuit } from '../circuit/circuit.ts'

/** Failures after which another upstream may be asked. */
export const fallbackConditions = ['timeout', 'rate_limit', 'server_error'] as const
export type FallbackCondition = (typeof fallbackConditions)[number]

/** One of several servers for a model. */
export type Upstream = {
  /** As operators and clients read it. */
  readonly name: string
  readonly provider: Provider
  /** The failures of the upstream before after which this one is asked. The first upstream needs none. */
  readonly on: readonly FallbackCondition[]
}

export type FallbackListener = (from: string, reason: FallbackCondition) => void

/** An upstream that failed is not asked for 10 s. The pause doubles with each further failure. */
const pauseMs = 10_000

/** `lastFailure`: why its pause began. */
type Watched = Upstream & { readonly circuit: Circuit; lastFailure: FallbackCondition }

/**
 * Asks upstreams in order. The next one is asked if a call fails before its first text, for a reason that the next one
 * accepts. An upstream in a pause is passed over; if no other one answers, it is asked all the same. All turns of the
 * process share the pauses.
 * @param onFallback called for each failed call after which another upstream may be asked.
 */
export function createFallbackProvider(
  upstreams: readonly Upstream[],
  onFallback: FallbackListener = () => undefined,
): Provider {
  const watched = upstreams.map(
    (one): Watched => ({ ...one, circuit: new Circuit(pauseMs), lastFailure: 'server_error' }),
  )
  return {
    /** One model call over several upstreams. */
    async ask(request, signal, onText) {
      const passed: UpstreamFailure[] = []
      // One in a pause is asked all the same, after the others.
      const order = [...watched]
      let failure: FallbackCondition | undefined
      let last = nobody
      /** Undefined if another upstream may be asked. */
      const ask = async (upstream: Watched): Promise<CallEnd | undefined> => {
        let hasText = false
        const end = await upstream.provider.ask(request, signal, (text) => {
          hasText ||= text !== ''
          return onText(text)
        })
        const reported: CallEnd = { ...end, upstream: { name: upstream.name, passed: [...passed] } }
        const reason = hasText || signal.aborted ? undefined : conditionOf(end)
        if (reason === undefined) {
          if (end.type !== 'error') upstream.circuit.succeeded()
          return reported
        }
        upstream.circuit.failed()
        upstream.lastFailure = reason
        failure = reason
        last = reported
        passed.push({ name: upstream.name, reason })
        onFallback(upstream.name, reason)
        return undefined
      }
      for (const [at, upstream] of order.entries()) {
        const isFirstLook = at < watched.length
        if (isFirstLook && failure !== undefined && !upstream.on.includes(failure)) continue
        if (isFirstLook && upstream.circuit.isOpen) {
          order.push(upstream)
          failure = upstream.lastFailure
          passed.push({ name: upstream.name, reason: 'paused' })
          continue
        }
        const end = await ask(upstream)
        if (end) return end
      }
      return last
    },
  }
}

/** Cannot happen: the first upstream is asked or paused. */
const nobody: CallEnd = { type: 'error', kind: 'upstream', message: 'No server of the model was asked.' }

/** Why another upstream may be asked. Undefined for an answer, and for a failure that would be the same there. */
function conditionOf(end: CallEnd): FallbackCondition | undefined {
  if (end.type !== 'error') return undefined
  if (end.kind === 'timeout') return 'timeout'
  if (end.kind !== 'upstream') return undefined
  if (end.status === 429) return 'rate_limit'
  // No status: the connection failed, or the reply could not be read.
  const { status = 500 } = end
  return status >= 500 || status === 408 || status === 409 ? 'server_error' : undefined
}
