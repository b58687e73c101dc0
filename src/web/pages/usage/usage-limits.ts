import { type Html, html } from '../../components/html.ts'
import { bytesText } from '../../components/sizes.ts'
import { counted } from '../../components/texts.ts'
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

/** The limits of the plan, and how much of each the account uses. */
export function limitList({ plan, requests, turns, storedBytes }: LimitsShown): Html {
  const limits: readonly Limit[] = [
    {
      name: 'Requests per minute',
      meaning: plan.apiAccess
        ? 'Requests with all your keys together. One above the limit gets status 429 and costs nothing.'
        : 'The plan does not include the API: requests with keys are refused. Questions on these pages work.',
      used: requests,
      max: plan.requestsPerMinute,
      state: `${number(requests)} of ${number(plan.requestsPerMinute)} in the current minute`,
    },
    {
      name: 'Turns per minute',
      meaning: 'Questions that start a turn, from keys and from these pages.',
      used: turns.inWindow,
      max: plan.turnsPerMinute,
      state: `${number(turns.inWindow)} of ${number(plan.turnsPerMinute)} in the last minute`,
    },
    {
      name: 'Concurrent turns',
      meaning: `Conversations with an unfinished answer. Each can queue ${counted(plan.queuedTurns, 'more question')}.`,
      used: turns.taken,
      max: plan.concurrentTurns,
      state: `${number(turns.taken)} of ${number(plan.concurrentTurns)} now`,
    },
    {
      name: 'Storage',
      meaning: `Files of all projects with their older versions. One file can have up to ${bytesText(plan.fileBytes)}.`,
      used: storedBytes,
      max: plan.storedBytes,
      state: `${bytesText(storedBytes)} of ${bytesText(plan.storedBytes)}`,
    },
  ]
  return html`<ul class="limits">${limits.map(limitItem)}</ul>`
}

function limitItem({ name, meaning, used, max, state }: Limit): Html {
  return html`<li><h3>${name}</h3><p class="state">${state}</p>
<meter min="0" max="${Math.max(1, max)}" high="${max * 0.9}" value="${Math.min(used, max)}"
aria-label="${name}: ${state}"></meter>
<p class="faint">${meaning}</p></li>`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
