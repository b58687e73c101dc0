/**
 * What floor (e) takes, in milliseconds, on the machine on which bounds in milliseconds were set: added to a turn and to its first text
 * with one client, and the lag of a chunk at p99 with 5,000 streams (that one of a floor which parses and renders each chunk as
 * (e) does).
 */
export const reference = { p50: 0.74, p99: 3.3, firstText: 0.54, lagP99: 8.7 }

/**
 * Bounds in milliseconds for this machine: where its floor takes longer, they are longer in the same ratio. Disks and processors
 * differ by more than any service does.
 */
export function boundsHere(
  [goal, gate]: readonly [goal: number, gate: number],
  floor: number,
  floorThere: number,
): { readonly goal: number; readonly gate: number; readonly of: string } {
  const slower = Math.max(1, floor / floorThere)
  const of = `floor (e) ${floor.toFixed(2)} ms, bounds ${slower.toFixed(1)} times those of the reference`
  return { goal: goal * slower, gate: gate * slower, of }
}
