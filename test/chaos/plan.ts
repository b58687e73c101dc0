import type { Random } from '../support/random.ts'
import { type AimedKill, modelCalls, type Question, type Shape, type Trouble } from './questions.ts'

/**
 * One action that a client wants done once, and its way of retrying. `key`: with an `Idempotency-Key`; `sdk`:
 * with the retry header of the official SDKs; `app`: the application sends the same request again, unmarked;
 * `none`: no retry.
 */
export type Intent = {
  readonly id: string
  readonly client: string
  readonly question: Question
  readonly delivery: 'stream' | 'whole' | 'background'
  readonly guard: 'key' | 'sdk' | 'app' | 'none'
  readonly onDisconnect: 'continue' | 'cancel'
  readonly includeUsage: boolean
  readonly progress: boolean
  /** Silence after which the client treats the connection as broken. */
  readonly timeoutMs: number
  /** The client disconnects once, this many milliseconds after sending the request. */
  readonly leaveAfterMs?: number
  /** Whether the client sends the request again after it has disconnected. */
  readonly comesBack: boolean
  /** The client cancels the run, this many milliseconds after it received the id. */
  readonly cancelAfterMs?: number
  /** The client follows the events of the run, and disconnects after each of these counts of events. */
  readonly follow?: readonly number[]
}

/** A conversation: the first turn creates a session, the others continue it, one by one or all at once. */
export type Scenario = { readonly intents: readonly [Intent, ...Intent[]]; readonly together: boolean }

/** `storm`: all actions of clients; `streams`: only reading streams that last some seconds. */
export type Habit = 'storm' | 'streams'

/** The n-th scenario of a client; it depends on the client's seed only. */
export function drawScenario(clientRandom: Random, client: string, n: number, habit: Habit): Scenario {
  const random = clientRandom.fork(`scenario ${n}`)
  const intent = (part: number) => drawIntent(random, client, `${client}-${n}-${part}`, habit)
  const together = random.chance(0.4)
  const turns = habit === 'storm' && random.chance(0.25) ? random.whole(2, 5) : 1
  const first = intent(0)
  const rest = Array.from({ length: turns - 1 }, (_, i) => intent(i + 1))
  if (rest.length === 0) return { intents: [first], together }
  // If no server can detect a retry, its second run becomes a turn of the conversation, so later turns of a
  // session use marked retries.
  const guarded = (one: Intent): Intent => (one.guard === 'app' ? { ...one, guard: 'sdk' } : one)
  return { intents: [guarded(first), ...rest.map(guarded)], together }
}

function drawIntent(random: Random, client: string, id: string, habit: Habit): Intent {
  const question = drawQuestion(random, id, habit)
  const common = {
    id,
    client,
    question,
    includeUsage: random.chance(0.5),
    progress: random.chance(0.8),
    timeoutMs: random.between(9_000, 25_000),
    comesBack: random.chance(0.6),
  }
  if (habit === 'streams') {
    const guard = random.chance(0.5) ? 'key' : 'sdk'
    const delivery = random.chance(0.8) ? 'stream' : 'whole'
    return { ...common, guard, delivery, onDisconnect: 'continue' }
  }
  const extra = random.next()
  return {
    ...common,
    delivery: random.pick(['stream', 'stream', 'stream', 'whole', 'whole', 'background']),
    guard: random.pick(['key', 'key', 'key', 'sdk', 'sdk', 'app', 'app', 'none']),
    onDisconnect: random.chance(0.12) ? 'cancel' : 'continue',
    ...(extra < 0.12 && { leaveAfterMs: random.between(20, 1_500) }),
    ...(extra >= 0.12 && extra < 0.18 && { cancelAfterMs: random.between(0, 1_200) }),
    ...(random.chance(0.12) && { follow: drawCuts(random) }),
  }
}

function drawCuts(random: Random): readonly number[] {
  return Array.from({ length: random.whole(0, 4) }, () => random.whole(1, 5))
}

function drawQuestion(random: Random, id: string, habit: Habit): Question {
  const shape = random.pick<Shape>([
    ...(['plain', 'plain', 'plain', 'plain', 'search', 'write', 'write', 'parallel'] as const),
  ])
  const slow = habit === 'streams'
  const long = slow || random.chance(0.15)
  const words = long ? random.whole(60, 150) : random.whole(5, 120)
  const chunks = long ? random.whole(25, 50) : random.whole(2, 16)
  const delayMs = long ? random.whole(60, 140) : random.whole(5, 110)
  const base = { id, shape, words, chunks, delayMs }
  if (slow) return base
  const calls = modelCalls(base)
  const [troubled, aimed] = [random.next(), random.next()]
  return {
    ...base,
    ...(troubled < 0.1 && { trouble: drawTrouble(random, calls) }),
    ...(aimed < 0.04 && { aim: drawAim(random, calls) }),
  }
}

function drawTrouble(random: Random, calls: number): Trouble {
  const kind = random.pick<Trouble['kind']>(['error', 'limit', 'cut-head', 'cut-text', 'refusal', 'stall'])
  const last = kind === 'stall' || random.chance(0.5)
  return { kind, call: last ? calls - 1 : 0, ms: Math.round(random.between(2_000, 7_000)) }
}

function drawAim(random: Random, calls: number): AimedKill {
  const moment = random.pick<AimedKill['moment']>(['arrival', 'middle', 'end', 'end'])
  return { call: random.whole(0, calls - 1), moment, afterMs: moment === 'end' ? random.whole(0, 40) : 0 }
}
