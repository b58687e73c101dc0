import { asc, inArray } from 'drizzle-orm'
import type { Executor } from '../db/client.ts'
import { links } from '../db/schema/index.ts'

/** Targets shown for one place at most: some verses are linked to thousands of times. */
const mostTargets = 20

/** The refs that each of these places points to (its primary texts, parallels), in a fixed order. */
export async function linksFrom(
  executor: Executor,
  refs: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (refs.length === 0) return new Map()
  const rows = await executor
    .select({ from: links.fromRef, to: links.toRef })
    .from(links)
    .where(inArray(links.fromRef, [...new Set(refs)]))
    .orderBy(asc(links.fromRef), asc(links.toRef))
    .limit(mostTargets * refs.length)
  const targets = new Map<string, string[]>()
  for (const { from, to } of rows) {
    const list = targets.get(from) ?? []
    if (list.length < mostTargets) list.push(to)
    targets.set(from, list)
  }
  return targets
}
