import type { AskPublisher, AtPublisher } from '../library/publisher.ts'
import type { MissingPlace } from '../search/missing/places.ts'

/** Maximum number of places of one query that are asked of the publisher. */
const maxAsked = 2

/** What asking the publisher for missing places gave. */
export type Asked = {
  /** Whether the library now has one of them, so that a search finds more. */
  readonly hasNew: boolean
  /** Where the publisher has the others, by `written`. */
  readonly links: ReadonlyMap<string, AtPublisher>
}

/** Asks the publisher for places that a query names and the library does not have, at the same time. */
export async function askForMissing(
  ask: AskPublisher,
  missing: readonly MissingPlace[],
  signal: AbortSignal,
): Promise<Asked> {
  const asked = missing.slice(0, maxAsked)
  const answers = await Promise.all(asked.map(({ written }) => ask(written, signal)))
  const links = answers.flatMap((answer, i) =>
    answer.kind === 'linked' ? [[asked[i]?.written ?? '', answer.at] as const] : [],
  )
  return { hasNew: answers.some(({ kind }) => kind === 'held'), links: new Map(links) }
}

/** Adds to each place where its publisher has it. */
export function withLinks(missing: readonly MissingPlace[], { links }: Asked): readonly MissingPlace[] {
  return missing.map((place) => {
    const publisher = links.get(place.written)
    return publisher ? { ...place, publisher } : place
  })
}
