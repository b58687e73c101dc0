import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { recentSessions } from '../../../turns/sessions/recent-sessions.ts'
import type { ListedSession, RecentSession } from '../../../turns/sessions/session-families.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { withQuery } from '../../components/library-links.ts'
import { isNavigation, sendPart } from '../../components/page.ts'
import { olderThan } from '../../components/pager.ts'
import { accountsOnly } from '../../components/route-guards.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { textsOf, zoneOf } from '../../visitors/preferences.ts'
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
  /** The path that sends the list again. */
  readonly href: string
  /** The reader's time zone, which the days are of. */
  readonly zone: string
  /** The conversation of the page. */
  readonly current?: string
}

/** Reads the conversations; the address may have words to find (`find`) and the position of older ones (`older`). */
export async function readRail(
  { database }: WebServices,
  request: FastifyRequest,
  current?: string,
): Promise<Rail> {
  const { principal } = visitorOf(request)
  const query = request.query as Readonly<Record<string, unknown>>
  const find =
    typeof query['find'] === 'string' ? query['find'].replaceAll('\0', '').trim().slice(0, 200) : ''
  const before = olderThan(request)
  const found = await withTx(database, principal, (tx) =>
    recentSessions(tx, principal, { find, before, current, limit: shownSessions }),
  )
  const href = withQuery('/ask/rail', { find, older: before?.toISOString(), current })
  return { ...found, find, href, zone: zoneOf(request), ...(current !== undefined && { current }) }
}

/** `/ask/rail`: the list of conversations as markup, for the script that keeps it up to date. */
export function railPages(app: FastifyInstance, services: WebServices): void {
  app.get('/ask/rail', accountsOnly, async (request, reply) => {
    const { current } = request.query as Readonly<Record<string, unknown>>
    if (isNavigation(request)) return reply.redirect('/ask', 303)
    const rail = await readRail(services, request, typeof current === 'string' ? current : undefined)
    return sendPart(reply, railList(textsOf(request), rail))
  })
}

/** Opens the drawer with the conversations; hidden where they stand beside the page. */
export function railButton({ ask }: Texts): Html {
  return html`<button type="button" class="quiet rail-button" popovertarget="rail">${ask.conversations}</button>`
}

/** Conversations grouped by day, with a search. Beside the page on wide windows; on others a drawer. */
function railView(t: Texts, rail: Rail): Html {
  const { find } = rail
  return html`<div class="drawer rail" id="rail" popover><nav aria-label="${t.ask.conversations}">
<p class="rail-new"><a class="button quiet" href="/ask">${t.ask.newQuestion}</a></p>
<form class="rail-search" role="search" aria-label="${t.ask.conversations}" action="/ask">
<input type="search" name="find" value="${find}" maxlength="200" dir="auto" placeholder="${t.ask.find}"
aria-label="${t.ask.find}"></form>
<div class="rail-list" data-href="${rail.href}">${railList(t, rail)}</div>
</nav></div>`
}

/** The conversations by day, and the link to older ones. */
function railList(t: Texts, { items, hasMore, find, zone, current }: Rail, now = new Date()): Html {
  const last = items.at(-1)
  return html`${items.length === 0 ? empty(t, find) : nothing}
${dayGroups(t, zone, items, now).map(([day, sessions]) => group(t, day, sessions, current))}
${hasMore && last ? html`<p><a href="${olderHref(find, last.updatedAt)}">${t.common.older}</a></p>` : nothing}`
}

/** A page with the conversations beside it. */
export function withRail(t: Texts, rail: Rail, page: Html): Html {
  return html`<div class="with-rail">${railView(t, rail)}<div class="rail-page">${page}</div></div>`
}

function olderHref(find: string, before: Date): string {
  return withQuery('/ask', { find, older: before.toISOString() })
}

function empty({ ask }: Texts, find: string): Html {
  return find === ''
    ? html`<p class="faint">${ask.none}</p>`
    : html`<p class="faint">${ask.noneNamed(find)} <a href="/ask">${ask.showAll}</a></p>`
}

function group(t: Texts, day: string, sessions: readonly RecentSession[], current: string | undefined): Html {
  const id = `rail-${sessions[0]?.id ?? ''}`
  return html`<p class="rail-day" id="${id}">${day}</p>
<ul class="plain-list" aria-labelledby="${id}">${sessions.map((session) => entry(t, session, current))}</ul>`
}

/** A conversation, with its branches below it. */
function entry(t: Texts, session: RecentSession, current: string | undefined): Html {
  const branches = session.branches.map((branch) => html`<li>${link(t, branch, current)}</li>`)
  const below =
    branches.length === 0
      ? nothing
      : html`<ul class="plain-list" aria-label="${t.ask.branches}">${branches}</ul>`
  return html`<li>${link(t, session, current)}${below}</li>`
}

function link(t: Texts, session: ListedSession, current: string | undefined): Html {
  const dot = session.isAnswering
    ? html`<span class="dot" data-answering="${session.id}"><span class="sr">${t.ask.answering}</span></span>`
    : nothing
  const mark = session.id === current ? html` aria-current="page"` : nothing
  const name = nameOf(t, session)
  return html`<a href="/sessions/${session.id}" dir="auto" title="${name}"${mark}><span>${name}</span></a>${dot}`
}

const dayMs = 86_400_000

/** Conversations by the days of a time zone. */
export function dayGroups<T extends Pick<RecentSession, 'updatedAt'>>(
  t: Texts,
  zone: string,
  items: readonly T[],
  now: Date,
): readonly (readonly [string, readonly T[]])[] {
  const dayOf = dayCounter(zone)
  return [
    ...Map.groupBy(items, ({ updatedAt }) =>
      dayGroup(t, updatedAt, { zone, age: dayOf(now) - dayOf(updatedAt) }),
    ),
  ]
}

/** @returns the number of the day that a moment is on in the time zone. */
function dayCounter(zone: string): (date: Date) => number {
  // Canada writes 2026-11-23, which is read as a day of UTC.
  const format = new Intl.DateTimeFormat('en-CA', { timeZone: zone })
  return (date) => Date.parse(format.format(date)) / dayMs
}

function dayGroup(
  { ask, language }: Texts,
  date: Date,
  { zone, age }: { readonly zone: string; readonly age: number },
): string {
  if (age <= 0) return ask.today
  if (age === 1) return ask.yesterday
  return age < 7
    ? ask.thisWeek
    : date.toLocaleDateString(language, { month: 'long', year: 'numeric', timeZone: zone })
}
