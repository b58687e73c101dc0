import { setTimeout as delay } from 'node:timers/promises'
import { type Client, carryOut, type Surroundings } from './client.ts'
import { drawScenario, type Habit, type Scenario } from './plan.ts'

/** Limits how many turns start per second, over all clients. */
export type Pace = {
  readonly started: () => number
  /** Whether no more turns may start. */
  readonly isClosed: () => boolean
  /**
   * Waits until so many turns may start.
   * @returns false when no more may start.
   */
  next(turns: number): Promise<boolean>
}

/**
 * @param perSecond turns per second; `Infinity` for no limit.
 * @param closing aborted when clients may start nothing more.
 */
export function openPace(perSecond: number, closing: AbortSignal): Pace {
  const begin = Date.now()
  let started = 0
  return {
    started: () => started,
    isClosed: () => closing.aborted,
    async next(turns) {
      const due = begin + (started / perSecond) * 1_000
      if (closing.aborted) return false
      started += turns
      await delay(Math.max(0, due - Date.now()), undefined, { signal: closing }).catch(() => undefined)
      if (!closing.aborted) return true
      started -= turns
      return false
    },
  }
}

/** Runs scenario after scenario until no more may start, and then completes the current turn. */
export async function live(
  world: Surroundings,
  client: Client,
  name: string,
  habit: Habit,
  pace: Pace,
): Promise<void> {
  for (let n = 0; ; n += 1) {
    const scenario = drawScenario(client.random, name, n, habit)
    if (!(await pace.next(scenario.intents.length))) return
    await perform(world, client, scenario, pace)
  }
}

async function perform(world: Surroundings, client: Client, scenario: Scenario, pace: Pace): Promise<void> {
  const [first, ...rest] = scenario.intents
  const session = await carryOut(world, client, first)
  // The client never received the session's id, so it cannot continue the conversation.
  if (session === undefined) return
  if (scenario.together) {
    await Promise.all(rest.map((intent) => carryOut(world, client, intent, session)))
    return
  }
  for (const intent of rest) if (!pace.isClosed()) await carryOut(world, client, intent, session)
}
