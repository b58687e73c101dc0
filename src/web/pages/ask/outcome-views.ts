import { newId } from '../../../ids.ts'
import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import type { Run } from '../../../turns/run/run.ts'
import type { RunEnd } from '../../../turns/run/run-events.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import { readHref } from '../../components/library-links.ts'
import { notice } from '../../components/page.ts'

/** Why a turn failed, in words for readers. The message of the model's server is on the page of the run. */
export function failureText({ errorCode, errorMessage }: Run): string {
  if (errorCode === 'upstream_failed')
    return 'The language model could not be reached, or it broke off. Try again in a moment.'
  if (errorCode === 'context_length_exceeded')
    return 'The conversation is too long for this model. Start a new conversation, or ask with less text.'
  return errorMessage
}

/**
 * Says how a turn ended, when it is not a complete answer.
 * @param isOwn whether the reader can try again.
 */
export function outcome({ run, question, answer }: ConversationTurn, isOwn: boolean): Html {
  const again = isOwn ? againForm(run, question) : nothing
  const cost = isOwn && run.costMicros === 0n ? ' It cost nothing.' : ''
  if (run.status === 'failed') {
    return html`${notice('problem', `The answer failed.${cost} ${failureText(run)}`)}${again}`
  }
  if (run.status === 'cancelled') {
    const text = answer === '' ? `You stopped this turn.${cost}` : 'You stopped this turn here.'
    return html`${notice('note', text)}${again}`
  }
  if (run.finishReason === 'length') {
    return notice(
      'note',
      'This answer is incomplete: it reached a limit of its length, its steps or your credits.',
    )
  }
  return run.finishReason === 'tool_calls'
    ? notice('note', 'This question came from a program. The turn waits for the results of its tools.')
    : nothing
}

/** Asks the same question again. Failed turns are not part of the conversation that the model reads. */
function againForm(run: Run, question: string): Html {
  if (question === '') return nothing
  const fields = { form: newId('request'), question, model: run.model, session: run.sessionId }
  return html`<form class="again" method="post" action="/ask">
${Object.entries(fields).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<button>Try again</button></form>`
}

/** Words that a reader gets at the end of a turn. */
export function endAnnouncement(end: 'run.completed' | 'run.failed' | 'run.cancelled'): string {
  if (end === 'run.completed') return 'The answer is complete.'
  return end === 'run.failed' ? 'The answer failed.' : 'The answer was stopped.'
}

/** Refs and citations of an answer that do not exist. */
export function unknownNote({ unknown_marks: marks, unknown_refs: refs }: RunEnd): Html {
  if (marks === 0 && refs.length === 0) return nothing
  const removed = marks === 1 ? '1 citation was' : `${marks} citations were`
  const sources = marks === 1 ? 'its source' : 'their sources'
  const citations = marks === 0 ? nothing : `${removed} removed, because the turn never read ${sources}. `
  return notice('note', html`${citations}${refs.map(unknownRef)}`)
}

function unknownRef({ ref, nearest, publisher }: RunEnd['unknown_refs'][number]): Html {
  if (publisher) {
    const link = html`<a href="${publisher.url}" rel="noreferrer">Its publisher has it</a>`
    return html`The library does not have <bdi>${ref}</bdi>. ${link}, under the licence ${publisher.license}. `
  }
  const near =
    nearest === null
      ? '.'
      : html`. The nearest ref is <a class="ref" href="${readHref(nearest)}" dir="auto">${nearest}</a>.`
  return html`The library does not have <bdi>${ref}</bdi>${near} `
}
