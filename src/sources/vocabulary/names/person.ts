import type { TownName } from './towns.ts'

/** A person with several names; `;` separates the names in a list. */
export type Person = {
  /** Full names in both scripts, without `Rabbi`. The first one is the key in the index and must not change. */
  readonly names: string
  /** Given names (or a title such as `Maggid`) that name the person together with a town. */
  readonly given?: string
  readonly towns?: readonly TownName[]
  /** Whether the town alone names this person: `the Kotzker`, `the Rebbe of Kotzk`. */
  readonly isMaster?: boolean
}
