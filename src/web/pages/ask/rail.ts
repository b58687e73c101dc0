import type { FastifyRequest } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { type RecentSession, recentSessions } from '../../../turns/sessions/recent-sessions.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { visitorOf } from '../../visitors/visitor.ts'
import type { WebServices } from '../services.ts'
import { nameOf } from './ask-form.ts'

/** Conversations in the rail; a link leads to older ones. */
const shownSessions = 40

/** The list of conversations beside a page, and what it was asked for. */
export type Rail = {
  readonly items: readonly RecentSession[]
  readonly hasMore: boolean
  readonly find: string
  /** The conversation of the page. */
  readonly current?: string
}

/** Reads the conversations; the address may have words to find (`find`) and the position of older ones (`before`). */
export async function readRail(
  { database }: WebServices,
  request: FastifyRequest,
  current?: string,
): Promise<Rail> {
  const { principal } = visitorOf(request)
  const query = request.query as Readonly<Record<string, unknown>>
  const find =
    typeof query['find'] === 'string' ? query['find'].replaceAll('\0', '').trim().slice(0, 200) : ''
  const date = typeof query['older'] === 'string' ? new Date(query['older']) : undefined
  const before = date && !Number.isNaN(date.getTime()) ? date : undefined
  const found = await withTx(database, principal, (tx) =>
    recentSessions(tx, principal, { find, before, limit: shownSessions }),
  )
  return { ...found, find, ...(current !== undefined && { current }) }
}

/**
 * Conversations grouped by day, with a search. Beside the page on wide windows; on others a drawer, which its button
 * opens.
 */
function railView(rail: Rail, now = new Date()): Html {
  const { items, hasMore, find } = rail
  const last = items.at(-1)
  const groups = [...Map.groupBy(items, ({ updatedAt }) => dayGroup(updatedAt, now))]
  return html`<button type="button" class="quiet rail-button" popovertarget="rail">Conversations</button>
<div class="rail" id="rail" popover><nav aria-label="Conversations">
<p class="rail-new"><a class="button quiet" href="/ask">New question</a></p>
<form class="rail-search" role="search" aria-label="Conversations" action="/ask">
<input type="search" name="find" value="${find}" maxlength="200" dir="auto" placeholder="Find a conversation"
aria-label="Find a conversation"></form>
${items.length === 0 ? empty(find) : nothing}
${groups.map(([day, sessions]) => group(day, sessions, rail.current))}
${hasMore && last ? html`<p><a href="${olderHref(find, last.updatedAt)}">Older</a></p>` : nothing}
</nav></div>`
}

/** A page with the conversations beside it. */
export function withRail(rail: Rail, page: Html): Html {
  return html`<div class="with-rail">${railView(rail)}<div class="rail-page">${page}</div></div>`
}

function olderHref(find: string, before: Date): string {
  return withQuery('/ask', { find, older: before.toISOString() })
}

function empty(find: string): Html {
  return find === ''
    ? html`<p class="faint">No conversations yet</p>`
    : html`<p class="faint">No conversation is named “<bdi>${find}</bdi>”. <a href="/ask">Show all</a></p>`
}

function group(day: string, sessions: readonly RecentSession[], current: string | undefined): Html {
  const id = `rail-${day.toLowerCase().replaceAll(' ', '-')}`
  return html`<p class="rail-day" id="${id}">${day}</p>
<ul aria-labelledby="${id}">${sessions.map((session) => entry(session, session.id === current))}</ul>`
}

function entry(session: RecentSession, isCurrent: boolean): Html {
  const dot = session.isAnswering
    ? html`<span class="dot" data-answering="${session.id}"><span class="sr">being answered</span></span>`
    : nothing
  const current = isCurrent ? html` aria-current="page"` : nothing
  return html`<li><a href="/sessions/${session.id}" dir="auto"${current}>${nameOf(session)}</a>${dot}</li>`
}

const dayMs = 86_400_000
const month = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' })

/** Days are those of UTC: the service does not know the reader's time zone. */
function dayGroup(date: Date, now: Date): string {
  const days = Math.floor(now.getTime() / dayMs) - Math.floor(date.getTime() / dayMs)
  if (days <= 0) return 'Today'
  if (days === 1) return 'Yesterday'
  return days < 7 ? 'Previous 7 days' : month.format(date)
}
