import type { OfferedSource } from '../../../agent/tools.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import { type Html, html } from '../../components/html.ts'
import { showMarkdown } from '../../markdown/shown-markdown.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type RefNames, stepTitle } from '../ref-names.ts'
import { citationMarks, passagesReadList } from './source-views.ts'

/**
 * A turn that is queued or running. A script updates it from the events of `/runs/{id}/live`; without scripts the page
 * reloads itself. It has the form of the ended turn, so that nothing moves at the end.
 */
export function liveTurn(
  t: Texts,
  { run, answer, steps, doing, read, cited }: ConversationTurn,
  names: RefNames,
): Html {
  const done = steps.filter((step) => step.kind === 'tool')
  return html`<div class="turn-body with-sources live">
<div class="turn-main">
<div class="check-result"><p class="checks faint">${passagesReadText(t, read)}</p></div>
<ul class="doing">${done.map((step) => html`<li class="done" dir="auto">${stepTitle(t, step, names)}</li>`)}
${doing.map((title) => html`<li class="now" dir="auto">${t.translate(title, names)}</li>`)}</ul>
<div class="answer draft">${showMarkdown(answer, { citations: citationMarks(t, run.id, cited) })}</div>
<div class="strip" data-texts="${JSON.stringify(t.answers.script)}">
<p class="status" role="status">${statusOf(t, run)}</p>
<button type="button" class="quiet to-end" hidden>${t.answers.newestText}</button>
<form class="stop" method="post" action="/runs/${run.id}/cancel"><button class="quiet danger">
${t.common.stop}</button></form></div>
</div>
<div class="live-sources">${passagesReadList(t, run, read, cited)}</div>
</div>`
}

/** Such as `3 passages read`; a space while there is none, which keeps the line. */
export function passagesReadText({ answers }: Texts, read: readonly OfferedSource[]): string {
  const refs = new Set(read.map(({ ref }) => ref)).size
  return refs === 0 ? '\u00a0' : answers.passagesRead(refs)
}

function statusOf({ answers }: Texts, run: Run): string {
  if (run.cancelRequestedAt) return answers.script.stopping
  return run.status === 'queued' ? answers.waiting : answers.working
}
