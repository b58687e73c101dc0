import { newId } from '../../../ids.ts'
import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import { type RunEnd, replyOf } from '../../../turns/run/run-events.ts'
import { type Html, hiddenFields, html, nothing } from '../../components/html.ts'
import { notice } from '../../components/page.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { type RefNames, refLink } from '../ref-names.ts'

/** Why a turn failed, in words for readers. The message of the model's server is on the page of the run. */
export function failureText({ answers, translate }: Texts, run: Run): string {
  const reply = replyOf(run)
  if (reply?.type !== 'run.failed') return ''
  const known: Readonly<Record<string, string>> = answers.failures
  return known[reply.code] ?? translate(reply.message)
}

/**
 * Says how a turn ended, when it is not a complete answer.
 * @param isOwn whether the reader can try again.
 */
export function outcome(t: Texts, { run, questionAgain, answer }: ConversationTurn, isOwn: boolean): Html {
  const { answers } = t
  const again = isOwn ? againForm(t, run, questionAgain) : nothing
  const cost = isOwn && run.costMicros === 0n ? `${answers.free} ` : ''
  if (run.status === 'failed')
    return html`${notice('problem', `${t.answers.ends['run.failed']} ${cost}${failureText(t, run)}`)}${again}`
  if (run.status === 'cancelled') {
    const own = answer === '' ? `${answers.stopped} ${cost}`.trim() : answers.stoppedHere
    return html`${notice('note', isOwn ? own : answers.stoppedByOwner)}${again}`
  }
  if (run.finishReason === 'length') return notice('note', answers.incomplete)
  return run.finishReason === 'tool_calls' ? notice('note', answers.waitsForTools) : nothing
}

/** Asks the same question again. Failed turns are not part of the conversation that the model reads. */
function againForm({ answers }: Texts, run: Run, question: string): Html {
  if (question === '') return nothing
  const fields = { form: newId('request'), question, model: run.model, session: run.sessionId }
  return html`<form class="again" method="post" action="/ask">
${hiddenFields(fields)}
<button>${answers.tryAgain}</button></form>`
}

/** Refs and citations of an answer that do not exist. */
export function unknownNote(
  t: Texts,
  { unknown_marks: marks, unknown_refs: refs }: RunEnd,
  names: RefNames,
): Html {
  if (marks === 0 && refs.length === 0) return nothing
  const removed = marks === 0 ? nothing : html`${t.answers.marksRemoved(marks)} `
  return notice('note', html`${removed}${refs.map((ref) => unknownRef(t, ref, names))}`)
}

function unknownRef(
  { answers }: Texts,
  { ref, nearest, publisher }: RunEnd['unknown_refs'][number],
  names: RefNames,
): Html {
  const missing = answers.notHeld(ref)
  if (publisher) {
    const link = html`<a href="${publisher.url}" rel="noreferrer">${answers.publisherHasIt}</a>`
    return html`${missing}. ${link}, ${answers.underLicence(publisher.license)}. `
  }
  if (nearest === null) return html`${missing}. `
  return html`${missing}. ${answers.nearest(refLink(nearest, names))} `
}
