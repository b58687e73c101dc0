import type { OfferedSource } from '../../../agent/tools.ts'
import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import { type Html, html } from '../../components/html.ts'
import { counted } from '../../components/texts.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import { passagesReadList, sourceAnchor } from './source-views.ts'

/** Texts that the script of a running turn shows when it cannot ask the service. */
const scriptTexts = {
  lost: 'Connection lost. Reconnecting …',
  gone: 'Connection lost. Reload the page to continue.',
  ended: 'The turn has ended. Reload the page to see the answer.',
  stopping: 'Stopping …',
  refused: 'Not stopped: the service refused the request. Try again in a few seconds.',
  signedOut: 'Not stopped: you are signed out. Reload the page to sign in.',
  unsent: 'Not stopped: the request did not reach the service. Try again.',
}

/**
 * A turn that is queued or running. A script updates it from the events of `/runs/{id}/live`; without scripts the page
 * reloads itself. It has the form of the ended turn, so that nothing moves at the end.
 */
export function liveTurn({ run, answer, steps, doing, read }: ConversationTurn): Html {
  const done = steps.filter((step) => step.kind === 'tool')
  return html`<div class="turn-body with-sources live">
<div class="turn-main">
<p class="checks faint">${passagesReadText(read)}</p>
<ul class="doing">${done.map((step) => html`<li class="done" dir="auto">${step.title}</li>`)}
${doing.map((title) => html`<li class="now" dir="auto">${title}</li>`)}</ul>
<div class="answer draft">${showMarkdown(answer, { citations: liveCitations(run.id, read) })}</div>
<div class="strip" data-texts="${JSON.stringify(scriptTexts)}">
<p class="status" role="status">${statusOf(run)}</p>
<button type="button" class="quiet to-end" hidden>Newest text ↓</button>
<form class="stop" method="post" action="/runs/${run.id}/cancel"><button class="quiet danger">Stop</button></form></div>
</div>
<div class="live-sources">${passagesReadList(run, read)}</div>
</div>`
}

/** Such as `3 passages read`; a space while there is none, which keeps the line. */
export function passagesReadText(read: readonly OfferedSource[]): string {
  const refs = new Set(read.map(({ ref }) => ref)).size
  return refs === 0 ? '\u00a0' : `${counted(refs, 'passage')} read`
}

/**
 * The citation numbers that a running answer may have, with the anchors that their sources get at its end. Numbers are
 * given in order of first use, so there are at most as many as passages read.
 */
export function liveCitations(runId: string, read: readonly OfferedSource[]): ReadonlyMap<number, string> {
  return new Map(read.map((_, at) => [at + 1, `#${sourceAnchor(runId, at + 1)}`]))
}

function statusOf(run: Run): string {
  if (run.cancelRequestedAt) return scriptTexts.stopping
  return run.status === 'queued' ? 'Waiting for your previous question …' : 'Working …'
}
