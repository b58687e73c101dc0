import type { CollectionProgress } from '../../../sources/collections/add-collection.ts'
import type { Collection } from '../../../sources/collections/collection.ts'
import { filesOf, type Plan } from '../../../sources/collections/plan.ts'
import type { LicenseCount, Survey } from '../../../sources/collections/survey.ts'
import type { RestrictedLicense } from '../../../sources/library/licenses.ts'
import type { CollectionState } from '../../../sources/library-jobs/collection-states.ts'
import type { JobSummary } from '../../../sources/library-jobs/job-summary.ts'
import { factList } from '../../components/data-table.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { nameIn } from '../../components/names.ts'
import { notice, type Page } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { operatorPage } from './operator-page.ts'

/** What an export has of a collection; `problem` when it could not be asked. */
export type Offer = { readonly plan: Plan; readonly survey: Survey } | { readonly problem: string }

const pathOf = ({ collection }: CollectionState) => `/operator/library/collections/${collection.name}`

/** The script of the page draws an entry again when this changes. */
const statusOf = ({ job }: CollectionState) => {
  const isStopping = job?.status === 'running' && job.cancelRequestedAt !== null
  return isStopping ? 'stopping' : (job?.status ?? '')
}

const isUnfinished = ({ job }: CollectionState) => job?.status === 'queued' || job?.status === 'running'

/** All collections with their states. While an import is unfinished, a script keeps this part up to date. */
export function collectionSection(t: Texts, states: readonly CollectionState[]): Html {
  const { collections } = t.operator
  const live = states.some(isUnfinished) ? html` data-live` : nothing
  return html`<section id="collections"${live}><h2>${collections.title}</h2>
<p class="faint">${collections.about}</p>
<ul class="collections">${states.map((state) => collectionEntry(t, state))}</ul></section>`
}

function collectionEntry(t: Texts, state: CollectionState): Html {
  const { collection, held } = state
  const { name, title, description, works, categories } = collection
  const size = t.operator.collections.held(held, t.common.works(works.length), Boolean(categories))
  return html`<li class="card" data-job="${name}" data-status="${statusOf(state)}">
<div class="head"><h3>${titleOf(t, title)}</h3>${actionOf(t, state)}</div>
<p>${description[t.language]}</p>
<p class="faint">${size} · ${collection.languages.map(t.languageName).join(', ')}</p>
${stateOf(t, state)}</li>`
}

/** The title of a work of a collection, as the list of the collection has it in the language of the page. */
function workTitle(t: Texts, { works }: Collection, title: string): string {
  const listed = works.find((work) => [work.title, ...(work.formerTitles ?? [])].includes(title))
  return nameIn(t, { en: title, he: listed?.heTitle ?? '' })
}

/** The title in the language of the page; in English followed by the Hebrew one. */
function titleOf({ language }: Texts, title: CollectionState['collection']['title']): Html {
  if (language === 'he') return html`${title.he}`
  return html`${title.en} <span lang="he" dir="rtl">${title.he}</span>`
}

function actionOf(t: Texts, state: CollectionState): Html {
  const { job, addedAt, collection } = state
  const { collections } = t.operator
  const title = collection.title[t.language]
  if (isUnfinished(state)) {
    const isStopping = statusOf(state) === 'stopping'
    const label = isStopping ? collections.stopping : t.common.cancel
    return html`<form method="post" action="${pathOf(state)}/cancel"><button class="quiet danger"
aria-label="${label} ${title}"${isStopping ? html` disabled` : nothing}>${label}</button></form>`
  }
  const label = addedAt ? collections.update : job ? collections.goOn : t.common.add
  return html`<a class="button quiet" href="${pathOf(state)}"
aria-label="${label} ${title}">${label}</a>`
}

function stateOf(t: Texts, { job, addedAt, collection }: CollectionState): Html {
  const { collections } = t.operator
  const added = addedAt ? collections.added(t.day(addedAt)) : nothing
  switch (job?.status) {
    case 'queued':
      return html`<p class="job">${added}${collections.waiting}</p>`
    case 'running':
      return runningState(t, collection, job.progress as CollectionProgress | null)
    case 'cancelled':
      return html`<p class="job">${added}${collections.cancelled}</p>`
    case 'failed':
      return html`<p class="job">${added}<span class="failed">${collections.failed}</span>
<bdi>${t.translate(job.error ?? '')}</bdi></p>`
    case 'done':
      return html`<p class="job">${added}${summaryText(t, job.report as JobSummary | null)}</p>`
    default:
      return html`<p class="job">${collections.notAdded}</p>`
  }
}

function runningState(t: Texts, collection: Collection, progress: CollectionProgress | null): Html {
  const share = progress?.share ?? 0
  return html`<p class="job"><progress max="100" value="${Math.floor(share * 100)}"
aria-label="${t.operator.collections.adding(collection.title[t.language])}"></progress>
<span class="doing">${progressText(t, collection, progress)}</span></p>`
}

function progressText(t: Texts, collection: Collection, progress: CollectionProgress | null): string {
  const { collections } = t.operator
  if (!progress) return collections.looking
  const { done, total, segments, seconds, share, title } = progress
  const rate =
    seconds > 0 && segments > 0 ? collections.perSecond(t.number(Math.round(segments / seconds))) : ''
  const left =
    share > 0.01 && share < 1 && seconds > 2
      ? collections.timeLeft(t.duration((seconds / share) * (1 - share) * 1_000))
      : ''
  const state = collections.worksDone(done, t.common.works(total), t.common.passages(segments))
  return `${state}${rate}${left} · ${workTitle(t, collection, title)}`
}

function summaryText(t: Texts, report: JobSummary | null): Html {
  const { common } = t
  const { collections } = t.operator
  if (!report) return nothing
  const { works, versions, segments, unchanged, leftOut, failed } = report
  const said =
    versions === 0
      ? collections.unchanged(common.versions(unchanged))
      : collections.imported(
          common.versions(versions),
          common.works(works),
          common.passages(segments),
          unchanged,
        )
  const reasons = leftOut.map(
    ({ why, files }) => html`<li>${collections.leftOutWhy(common.filesCount(files), t.translate(why))}</li>`,
  )
  if (reasons.length === 0) return html`${said}`
  const label = failed > 0 ? collections.leftOutErrors(failed) : collections.leftOut
  return html`${said} <details><summary>${label}</summary><ul>${reasons}</ul></details>`
}

/** One collection: what comes, from where, how large, under which licences, and the button that starts. */
export function collectionPage(
  t: Texts,
  shown: { readonly state: CollectionState; readonly offer: Offer; readonly place: string },
): Page {
  const { collections } = t.operator
  const { state, offer, place } = shown
  const { title, description } = state.collection
  return operatorPage(t, {
    title: collections.addTitle(title[t.language]),
    path: '/operator/library',
    main: html`<section class="card narrow-left"><h2>${titleOf(t, title)}</h2>
<p>${description[t.language]}</p>
${'problem' in offer ? unreachable(t, state, offer.problem) : startForm(t, state, offer, place)}
<p><a href="/operator/library#collections">${collections.back}</a></p></section>`,
  })
}

function unreachable({ operator, translate }: Texts, { collection }: CollectionState, problem: string): Html {
  return html`${notice('problem', html`<bdi>${translate(problem.split('\n')[0] ?? '')}</bdi>`)}
<p>${operator.collections.unreachable}</p>
<pre tabindex="0" dir="ltr"><code>npm run -s service -- sources add ${collection.name} FOLDER</code></pre>`
}

function startForm(
  t: Texts,
  state: CollectionState,
  { plan, survey }: { readonly plan: Plan; readonly survey: Survey },
  place: string,
): Html {
  const { collections } = t.operator
  const shown = (title: string) => workTitle(t, state.collection, title)
  if (plan.works.length === 0) return notice('problem', collections.noWork(place))
  return html`${factList([
    [collections.from, html`<bdi class="url">${place}</bdi>`],
    [t.common.size, sizeText(t, plan, survey)],
    [t.search.works, html`<bdi>${plan.works.map(({ title }) => shown(title)).join(', ')}</bdi>`],
    plan.renamed.length > 0 && [
      collections.renamed,
      plan.renamed.map(({ listed, found }) => collections.renamedTo(shown(listed), found)).join('; '),
    ],
    plan.missing.length > 0 && [collections.missing, plan.missing.map(shown).join(', ')],
    [
      collections.free,
      licenseList(
        t,
        survey.licenses.filter(({ kind }) => kind === 'open'),
      ) || collections.none,
    ],
  ])}
${isUnfinished(state) ? notice('note', collections.beingAdded) : permissionForm(t, state, survey)}`
}

function sizeText(t: Texts, plan: Plan, { bytes, totalBytes }: Survey): string {
  const files = filesOf(plan).length
  const known =
    bytes.size === files ? t.bytes(totalBytes) : t.operator.collections.moreThan(t.bytes(totalBytes))
  const { works, filesCount } = t.common
  return `${works(plan.works.length)}, ${filesCount(files)}${bytes.size === 0 ? '' : `, ${known}`}`
}

function licenseList({ common }: Texts, licenses: readonly LicenseCount[]): string {
  return licenses.map(({ license, files }) => `${license}: ${common.filesCount(files)}`).join(', ')
}

const permissions = ['cc-by-nc', 'unknown'] as const

function permissionForm(t: Texts, state: CollectionState, survey: Survey): Html {
  const { collections } = t.operator
  const boxes = permissions.map((kind) => {
    const { label, meaning } = collections.permissions[kind]
    const found = survey.licenses.filter((count) => count.kind === kind)
    if (found.length === 0 && survey.unseen === 0) return nothing
    const files = licenseList(t, found) || collections.unseen(survey.unseen)
    return permissionBox(kind, label, `${files}. ${meaning}`, state.allowed.includes(kind))
  })
  const asked = boxes.some((box) => box !== nothing)
  return html`<form method="post" action="${pathOf(state)}/start">
${asked ? html`<fieldset><legend>${collections.needPermission}</legend>${boxes}</fieldset>` : nothing}
<p class="row"><button>${state.addedAt ? collections.update : collections.addToLibrary}</button>
<a href="/operator/library#collections">${t.common.cancel}</a></p></form>`
}

function permissionBox(kind: RestrictedLicense, label: string, hint: string, on: boolean): Html {
  return html`<label class="choice"><input type="checkbox" name="allow" value="${kind}"${on ? html` checked` : nothing}>
<span>${label} <small>${hint}</small></span></label>`
}
