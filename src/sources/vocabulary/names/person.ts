import type { TownName } from './towns.ts'

/** A person whom books call by several names; lists of names are divided by `;`. */
export type Person = {
  /** Whole names in both scripts, without `Rabbi`. The index knows the person by the first, which must stay. */
  readonly names: string
  /** Given names (or a title such as `Maggid`) that name the person together with a town. */
  readonly given?: string
  readonly towns?: readonly TownName[]
  /** True for the one who is meant when only the town is named: `the Kotzker`, `the Rebbe of Kotzk`. */
  readonly isMaster?: boolean
}
