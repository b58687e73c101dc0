import type { ConversationTurn } from '../../../turns/reading/conversation.ts'
import type { Session } from '../../../turns/sessions/sessions.ts'
import { type Html, html, nothing } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { nameOf } from './ask-form.ts'

/**
 * The heading of a conversation. Its name is the beginning of its first question, unless somebody has renamed it: where
 * that question stands below, only screen readers get the heading, and the question looks like one.
 * @param first the first turn on the page.
 */
export function conversationTitle(t: Texts, session: Session, first: ConversationTurn | undefined): Html {
  const isRepeated = first !== undefined && isBeginningOf(session.name, first.question)
  return html`<h1 dir="auto"${isRepeated ? html` class="sr"` : nothing}>${nameOf(t, session)}</h1>`
}

function isBeginningOf(name: string, question: string): boolean {
  const inOneLine = (text: string) => text.replace(/\s+/g, ' ').trim()
  return name !== '' && inOneLine(question).startsWith(inOneLine(name).replace(/\s*…$/, ''))
}
