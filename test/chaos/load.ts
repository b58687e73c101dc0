import { setTimeout as delay } from 'node:timers/promises'
import { type Client, carryOut, type Surroundings } from './client.ts'
import { drawScenario, type Habit, type Scenario } from './plan.ts'

/** Lets so many turns begin in a second, over all clients. */
export type Pace = {
  readonly started: () => number
  /** Whether there are to be no more. */
  readonly isClosed: () => boolean
  /** Waits for the place of so many turns. @returns false when there are to be no more. */
  next(turns: number): Promise<boolean>
}

/** @param perSecond `Infinity` for no bound. @param closing aborted when no client may begin anything. */
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

/** One scenario after the other, until there are to be no more; the turn that is under way then is brought to its end. */
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
  // Its client was never told where it runs: nobody could go on there.
  if (session === undefined) return
  if (scenario.together) {
    await Promise.all(rest.map((intent) => carryOut(world, client, intent, session)))
    return
  }
  for (const intent of rest) if (!pace.isClosed()) await carryOut(world, client, intent, session)
}
