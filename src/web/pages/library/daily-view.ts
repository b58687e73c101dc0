import { type Html, html, nothing } from '../../components/html.ts'
import { readHref, withQuery, workHref } from '../../components/library-links.ts'
import { type Names, namedLink, nameIn } from '../../components/names.ts'
import { emptyState, outcomeNotice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { breadcrumbs } from './search-view.ts'

/** A work that is read a portion a day. Without `ref` the day has none, or the library does not have the work. */
export type DailyReading = {
  readonly title: string
  readonly heTitle: string
  /** The first day, as `2026-11-23`. */
  readonly from: string
  readonly isOwn: boolean
  readonly portions: number
  readonly number?: number
  readonly ref?: Names | undefined
  readonly tomorrow?: Names | undefined
}

type Shown = {
  readonly today: string
  readonly readings: readonly DailyReading[]
  readonly isSignedIn: boolean
  readonly problem?: string
}

function noReading(t: Texts): Html {
  return emptyState(t.daily.none, html`${t.daily.noneHint} <a href="/library">${t.daily.works}</a>.`)
}

/** Today's portions. */
export function dailyPage(t: Texts, { today, readings, isSignedIn, problem }: Shown): Page {
  return {
    title: t.daily.title,
    section: 'library',
    sheets: ['library'],
    main: html`${breadcrumbs(t)}<h1>${t.daily.title}</h1>${outcomeNotice({ problem })}
<p>${t.daily.about}</p>
${readings.length === 0 ? noReading(t) : nothing}
${readings.map((reading) => portionCard(t, reading, isSignedIn))}
<p class="faint"><time datetime="${today}">${dayName(t, today)}</time>. ${t.daily.midnight}</p>`,
  }
}

function portionCard(t: Texts, reading: DailyReading, isSignedIn: boolean): Html {
  const { title, heTitle, from } = reading
  return html`<section class="card daily"><div class="head">
<h2>${namedLink(t, workHref(title), { en: title, he: heTitle })}</h2></div>
${reading.ref === undefined ? html`<p>${t.daily.missing}</p>` : portion(t, reading, reading.ref)}
<p class="row"><a href="${withQuery('/library/daily', { work: title, from })}">${t.daily.link}</a>
${isSignedIn ? dailyForm(t, title, reading.isOwn) : nothing}</p></section>`
}

function portion(t: Texts, { from, portions, number, tomorrow }: DailyReading, ref: Names): Html {
  const first = html`<time datetime="${from}">${dayName(t, from)}</time>`
  const next = tomorrow
    ? html`${t.daily.tomorrow}: <a href="${readHref(tomorrow.en)}" dir="auto">${nameIn(t, tomorrow)}</a>.`
    : nothing
  const here = html`${t.ask.today}: <bdi>${nameIn(t, ref)}</bdi>`
  return html`<p class="today"><a class="button" href="${readHref(ref.en)}">${here}</a></p>
<p class="faint">${t.daily.of(number ?? 1, portions)}, ${t.daily.since} ${first}. ${next}</p>`
}

/** Starts a work, or stops it. */
export function dailyForm(t: Texts, work: string, isStarted: boolean): Html {
  return html`<form method="post" action="/library/daily"><input type="hidden" name="work" value="${work}">
<button class="quiet" name="action" value="${isStarted ? 'stop' : 'start'}">
${isStarted ? t.daily.stop : t.daily.start}</button></form>`
}

function dayName(t: Texts, day: string): string {
  const instant = new Date(`${day}T00:00:00Z`)
  const format = new Intl.DateTimeFormat(t.language, { dateStyle: 'full', timeZone: 'UTC' })
  return Number.isNaN(instant.getTime()) ? day : format.format(instant)
}
