import { sql } from 'drizzle-orm'
import { z } from 'zod'
import { describedTool } from '../../agent/prompts/described-tool.ts'
import type { Tool, ToolOutcome } from '../../agent/tools.ts'
import type { Executor } from '../../db/client.ts'
import { findParallels } from '../library/links.ts'
import { type AskPublisher, resolveOnDemand } from '../library/publisher.ts'
import { nearestRefs } from '../refs/nearest-refs.ts'
import { type PassageRange, resolveRef } from '../refs/ref-lookup.ts'
import { worksNamed } from '../refs/title-lookup.ts'
import { refNotFound } from '../search/missing/statement.ts'
import { stripControls } from '../text/strip-controls.ts'

const reference = z.object({ ref: z.string().trim().min(1).max(300) })
const workTitle = z.object({ work: z.string().trim().min(1).max(300) })

/** Maximum number of sections in one result. */
const maxSections = 400
/** Maximum number of refs listed for a resolved range. */
const maxRefs = 30

/** Tools for orientation: what a name or ref means, how a work is divided, and where parallel texts are. */
export function scholarTools(executor: Executor, ask?: AskPublisher): readonly Tool<Executor>[] {
  return [resolveTool(executor, ask), shapeTool(executor), parallelsTool(executor)]
}

function resolveTool(executor: Executor, ask: AskPublisher | undefined): Tool<Executor> {
  return describedTool(
    'resolve_ref',
    reference,
    (args) => `Looking up ${String(args['ref'] ?? '')}`,
    async ({ ref }, signal) => {
      const { place, publisher } = await resolveOnDemand(executor, ref, ask, signal)
      if (!place) {
        const nearest = await nearestRefs(executor, ref)
        return refNotFound(executor, ref, { nearest, ...(publisher && { publisher }) })
      }
      return json({ ref, found: true, ...(await refsIn(executor, place)) })
    },
  )
}

async function refsIn(executor: Executor, place: PassageRange) {
  const { rows } = await executor.execute<{ ref: string; he_ref: string }>(sql`
    select ref, he_ref from passages
    where work_id = ${place.workId} and ordinal between ${place.first} and ${place.last}
    order by ordinal limit ${maxRefs + 1}`)
  return { passages: rows.slice(0, maxRefs), ...(rows.length > maxRefs && { more: true }) }
}

function shapeTool(executor: Executor): Tool<Executor> {
  return describedTool(
    'work_shape',
    workTitle,
    (args) => `Looking at how ${String(args['work'] ?? '')} is divided`,
    async ({ work }) => {
      const [workId] = await worksNamed(executor, stripControls(work))
      const { rows } = await executor.execute<{ section: string; passages: number }>(sql`
          select section_ref as section, count(*)::int as passages
          from passages where work_id = ${workId ?? null}
          group by section_ref order by min(ordinal) limit ${maxSections + 1}`)
      if (rows.length === 0)
        return refNotFound(executor, work, { nearest: await nearestRefs(executor, work) })
      return json({
        work,
        sections: rows.slice(0, maxSections),
        ...(rows.length > maxSections && { more: true }),
      })
    },
  )
}

function parallelsTool(executor: Executor): Tool<Executor> {
  return describedTool(
    'find_parallels',
    reference,
    (args) => `Looking for parallels to ${String(args['ref'] ?? '')}`,
    async ({ ref }) => {
      const place = await resolveRef(executor, ref)
      // Links can also lead to places outside the library, so the ref is searched as written.
      const refs = place ? await namesOf(executor, place) : [stripControls(ref)]
      return json({ ref, links: await findParallels(executor, refs) })
    },
  )
}

/** Refs of the passages of a place, and of their sections. */
async function namesOf(executor: Executor, place: PassageRange): Promise<readonly string[]> {
  const { rows } = await executor.execute<{ ref: string; section_ref: string }>(sql`
    select ref, section_ref from passages
    where work_id = ${place.workId} and ordinal between ${place.first} and ${place.last}
    order by ordinal limit ${maxRefs}`)
  return [...new Set(rows.flatMap(({ ref, section_ref }) => (rows.length > 1 ? [ref, section_ref] : [ref])))]
}

function json(value: object): ToolOutcome<Executor> {
  return { content: JSON.stringify(value) }
}
