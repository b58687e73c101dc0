import { pagesPerMinute } from '../../../accounts/plans.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { UsageShown } from './usage-shown.ts'

type LimitsShown = Pick<UsageShown, 'plan' | 'requests' | 'turns' | 'storedBytes'>

type Limit = {
  readonly name: string
  /** What counts, and what happens above the limit. */
  readonly meaning: string
  readonly used: number
  readonly max: number
  /** Both in words, such as `3 of 600 in the current minute`. */
  readonly state: string
}

/** A limit is near from this share of it on. */
const near = 0.8

/** The limits that the account is near, and all limits of the plan in a part that opens. */
export function limitList(t: Texts, shown: LimitsShown): Html {
  const { usage } = t
  const limits = limitsOf(t, shown)
  const close = limits.filter(({ used, max }) => used >= max * near)
  const warning = html`<h2>${usage.nearLimits}</h2><ul class="limits">${close.map(limitItem)}</ul>`
  return html`${close.length > 0 ? warning : nothing}
<details class="all-limits"><summary>${usage.limitsOf(t.common.planName(shown.plan.name))}</summary>
<ul class="limits">${limits.map(limitItem)}</ul></details>`
}

function limitsOf(t: Texts, { plan, requests, turns, storedBytes }: LimitsShown): readonly Limit[] {
  const { limits } = t.usage
  const perMinute = plan.apiAccess ? plan.requestsPerMinute : pagesPerMinute(plan)
  return [
    {
      name: limits.requests,
      meaning: plan.apiAccess ? limits.requestsMeaning : limits.requestsNone,
      used: requests,
      max: perMinute,
      state: limits.inThisMinute(t.number(requests), t.number(perMinute)),
    },
    {
      name: limits.turns,
      meaning: limits.turnsMeaning,
      used: turns.started,
      max: plan.turnsPerMinute,
      state: limits.of(t.number(turns.started), t.number(plan.turnsPerMinute)),
    },
    {
      name: limits.concurrent,
      meaning: limits.concurrentMeaning(plan.queuedTurns),
      used: turns.taken,
      max: plan.concurrentTurns,
      state: limits.now(t.number(turns.taken), t.number(plan.concurrentTurns)),
    },
    {
      name: limits.storage,
      meaning: limits.storageMeaning(t.bytes(plan.fileBytes)),
      used: storedBytes,
      max: plan.storedBytes,
      state: limits.of(t.bytes(storedBytes), t.bytes(plan.storedBytes)),
    },
  ]
}

function limitItem({ name, meaning, used, max, state }: Limit): Html {
  return html`<li><h3>${name}</h3><p class="state">${state}</p>
<meter min="0" max="${Math.max(1, max)}" high="${max * near}" value="${Math.min(used, max)}"
aria-label="${name}: ${state}"></meter>
<p class="faint">${meaning}</p></li>`
}
