/** A session with what it continues; `null` for one that begins a conversation. */
export type Member = {
  readonly id: string
  readonly name: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly turnCount: number
  /** Whether one of its turns is unfinished. */
  readonly isAnswering: boolean
  readonly parentId: string | null
  readonly parentTurn: number | null
}

/** A session in the list of conversations. */
export type ListedSession = Pick<Member, 'id' | 'name' | 'createdAt' | 'turnCount' | 'isAnswering'>

/** A conversation in the list: the version that is listed, and below it the branches of its later turns. */
export type RecentSession = ListedSession & {
  /** When the newest turn of its versions and branches began, or when one of them was renamed. */
  readonly updatedAt: Date
  readonly branches: readonly ListedSession[]
}

/** Which of several versions is listed: the session of the page, or one whose name has these words. */
type Wanted = { readonly current: string | undefined; readonly find: string }

/**
 * The conversations of these sessions, in their order. Sessions that ask something else at one place are versions: the
 * open one is listed, otherwise the newest whose name has the wanted words, otherwise the newest.
 */
export function familiesOf(
  ids: readonly string[],
  members: readonly Member[],
  wanted: Wanted,
): readonly RecentSession[] {
  const known = new Map(members.map((member) => [member.id, member]))
  const families = Map.groupBy(members, (member) => firstOf(member, known))
  return ids.flatMap((id) => {
    const member = known.get(id)
    const first = member && firstOf(member, known)
    return first === undefined ? [] : family(first, families.get(first) ?? [], wanted)
  })
}

/** The id of the session that begins a conversation; it may have been deleted. */
function firstOf(member: Member, known: ReadonlyMap<string, Member>): string {
  let at = member
  while (at.parentId !== null) {
    const parent = known.get(at.parentId)
    if (!parent) return at.parentId
    at = parent
  }
  return at.id
}

function family(first: string, members: readonly Member[], wanted: Wanted): RecentSession[] {
  const newestFirst = members.toSorted((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime())
  const versions = Map.groupBy(newestFirst, (member) => placeOf(member, first))
  const listed = new Map([...versions].map(([place, own]) => [place, listedOf(own, wanted)]))
  // Only branches are left of a conversation whose first session was deleted.
  const head = listed.get(first) ?? [...listed.values()][0]
  const [newest] = newestFirst
  if (!head || !newest) return []
  const branches = [...listed.values()].filter((one) => one !== head)
  return [{ ...head, updatedAt: newest.updatedAt, branches }]
}

/** Where a session differs from the others: at the first question of the conversation, or at a later one. */
function placeOf({ parentId, parentTurn }: Member, first: string): string {
  return parentId === null || parentTurn === 1 ? first : `${parentId} ${parentTurn}`
}

function listedOf(versions: readonly Member[], { current, find }: Wanted): ListedSession {
  const words = find.toLowerCase()
  const rank = ({ id, name }: Member) => (id === current ? 2 : name.toLowerCase().includes(words) ? 1 : 0)
  const [shown] = versions.toSorted((a, b) => rank(b) - rank(a))
  if (!shown) throw new Error('a place of a conversation has a session')
  const { id, name, createdAt, turnCount } = shown
  return { id, name, createdAt, turnCount, isAnswering: versions.some((one) => one.isAnswering) }
}
