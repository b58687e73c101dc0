import { sql } from 'drizzle-orm'
import type { Executor } from '../../db/client.ts'
import { headingKey, looseNextWord } from '../text/heading-keys.ts'
import { isParashaKey } from '../vocabulary/titles/parashot.ts'

type NameKey = { readonly name: string; readonly key: string; readonly isLoose: boolean }

/** Parts that many books have. Alone they belong to the book of the sentence. */
const common =
  /^(?:part|volume|vol|book|chapter|section|gate|introduction|preface|foreword|appendix|conclusion|notes?|חלק|כרך|ספר|פרק|שער|הקדמה|הקדמת|פתיחה|מבוא|נספח|סיומ|הוספות|מילואימ)(?: |$)/u

/** One word in another spelling would be a different word: `Rosh` for `Rasha`. Hebrew words only lose their article. */
function keysOf(name: string): readonly NameKey[] {
  const key = headingKey(name.replace(/^the /i, ''))
  if (key === '' || common.test(key) || isParashaKey(key)) return []
  const loose = key.split(' ').map(looseNextWord).join(' ')
  const mayBeLoose = key.includes(' ') || /^[א-ת]/.test(key)
  return [{ name, key, isLoose: false }, ...(mayBeLoose ? [{ name, key: loose, isLoose: true }] : [])]
}

/**
 * Finds the headings that names alone mean, without the titles of their works: `Rasha` for `Concepts of Chassidut,
 * Rasha`. A heading in the same spelling takes precedence over others. Weekly portions and parts that many books have
 * (`Part II`, `Introduction`) mean none.
 * @returns the headings by name; a name that means none is absent.
 */
export async function entriesNamed(
  executor: Executor,
  names: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const keys = names.flatMap(keysOf)
  if (keys.length === 0) return new Map()
  const { rows } = await executor.execute<{ name: string; heading: string; is_loose: boolean }>(sql`
    with titles as (
      select t.key, t.work_id, starts_with(t.key, '~') as is_loose
      from headings t join works w on w.id = t.work_id and w.title = t.heading)
    select n.name, h.heading, bool_and(n.is_loose) as is_loose
    from unnest(${sql.param(keys.map(({ name }) => name))}::text[], ${sql.param(keys.map(({ key }) => key))}::text[],
        ${sql.param(keys.map(({ isLoose }) => isLoose))}::bool[]) n (name, key, is_loose)
      join titles t on t.is_loose = n.is_loose
      join headings h on h.key = t.key || ' ' || n.key and h.work_id = t.work_id
    where h.kind = 'place'
    group by n.name, h.heading order by n.name, h.heading`)
  const byName = Map.groupBy(rows, ({ name }) => name)
  return new Map(
    [...byName].map(([name, of]) => {
      const exact = of.filter(({ is_loose }) => !is_loose)
      return [name, (exact.length > 0 ? exact : of).map(({ heading }) => heading)]
    }),
  )
}
