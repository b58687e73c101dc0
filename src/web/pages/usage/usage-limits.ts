import { type Html, html } from '../../components/html.ts'
import { bytesText } from '../../components/sizes.ts'
import type { UsageShown } from './usage-shown.ts'

type Limit = {
  readonly name: string
  /** What the limit means, and what happens above it. */
  readonly meaning: string
  readonly used: number
  readonly most: number
  /** Use and limit as text, such as `3 of 600 in the present minute`. */
  readonly state: string
}

/** The limits of the plan as text, and how much of each the account uses. */
export function limitList({
  plan,
  requests,
  turns,
  storedBytes,
}: Pick<UsageShown, 'plan' | 'requests' | 'turns' | 'storedBytes'>): Html {
  const limits: readonly Limit[] = [
    {
      name: 'Requests a minute',
      meaning: plan.apiAccess
        ? 'Requests of all your keys together, whatever they ask. One too many is answered with 429 and the seconds to wait; it costs nothing.'
        : 'The plan does not include the API: requests with keys are refused. Questions in these pages work.',
      used: requests,
      most: plan.requestsPerMinute,
      state: `${number(requests)} of ${number(plan.requestsPerMinute)} in the present minute`,
    },
    {
      name: 'Turns a minute',
      meaning: 'Questions that begin to be answered, from keys and from these pages.',
      used: turns.inWindow,
      most: plan.turnsPerMinute,
      state: `${number(turns.inWindow)} of ${number(plan.turnsPerMinute)} in the last minute`,
    },
    {
      name: 'Turns at once',
      meaning: `Conversations in which an answer is being written. In each of them ${plan.queuedTurns === 1 ? 'one more question' : `${plan.queuedTurns} more questions`} may wait.`,
      used: turns.taken,
      most: plan.concurrentTurns,
      state: `${number(turns.taken)} of ${number(plan.concurrentTurns)} now`,
    },
    {
      name: 'Storage',
      meaning: `Files of all projects with their older versions. One file may have up to ${bytesText(plan.fileBytes)}.`,
      used: storedBytes,
      most: plan.storedBytes,
      state: `${bytesText(storedBytes)} of ${bytesText(plan.storedBytes)}`,
    },
  ]
  return html`<ul class="limits">${limits.map(
    ({ name, meaning, used, most, state }) => html`<li><h3>${name}</h3><p class="state">${state}</p>
<meter min="0" max="${Math.max(1, most)}" high="${most * 0.9}" value="${Math.min(used, most)}" aria-label="${name}: ${state}"></meter>
<p class="faint">${meaning}</p></li>`,
  )}</ul>`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
