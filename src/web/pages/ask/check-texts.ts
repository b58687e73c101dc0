import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { CitedSource, RunEnd } from '../../../turns/run/run-events.ts'
import type { Texts } from '../../texts/catalogue.ts'
import type { RefNames } from '../ref-names.ts'
import { type AnswerCheck, checksOf, questionChecksOf } from './answer-checks.ts'

/**
 * The service's checks of a turn as lines of plain text, a line a quotation. Files, copies and prints carry them beside
 * the answer. Empty for a turn without an end.
 */
export function checkTexts(t: Texts, turn: ConversationTurn, names: RefNames): readonly string[] {
  const { run, end, answer } = turn
  if (!end) return []
  const { none, quotationOfQuestion } = t.answers.checks
  const lines = checksOf(run.id, end).map((check) => checkText(t, check, names))
  const asked = questionChecksOf(run.id, end).map(
    (check) => `${quotationOfQuestion} ${checkText(t, check, names)}`,
  )
  return [...asked, ...(lines.length === 0 && answer !== '' ? [none] : lines)]
}

/** Such as `not found: “…” (looked for in Gate 1:1)`. Isolates keep Hebrew words in their place of an English line. */
function checkText({ answers: { checks, file } }: Texts, check: AnswerCheck, names: RefNames): string {
  const { result, quote, ref, found_ref: found, isOfFile } = check
  const isUnfound = result === 'not_found' || result === 'from_tool'
  const at = found ?? ref
  const name = at === undefined ? '' : isOfFile ? `${at}, ${file}` : names(at)
  const place = name === '' ? '' : isUnfound ? checks.lookedIn(isolated(name)) : isolated(name)
  return `${checks.results[result].label}: ${isolated(`“${quote}”`)}${place === '' ? '' : ` (${place})`}`
}

function isolated(text: string): string {
  return `\u2068${text}\u2069`
}

/** An answer for the clipboard: the text of the model, its sources, and the service's checks, each under its name. */
export function answerToCopy(t: Texts, turn: ConversationTurn, names: RefNames): string {
  const { answers } = t
  const checks = checkTexts(t, turn, names)
  return [
    `${answers.byModel}:`,
    turn.answer,
    ...sourcesPart(t, turn.end),
    ...(checks.length === 0
      ? []
      : [`${answers.checks.byService}:\n${checks.map((line) => `- ${line}`).join('\n')}`]),
  ].join('\n\n')
}

function sourcesPart(t: Texts, end: RunEnd | undefined): readonly string[] {
  if (!end || end.sources.length === 0) return []
  return [
    `${t.answers.sources}:\n${end.sources.map((source) => `[${source.n}] ${factsOf(t, source)}`).join('\n')}`,
  ]
}

function factsOf(t: Texts, { ref, he_ref: heRef, version, license, url }: CitedSource): string {
  const name = t.language === 'he' && heRef !== '' ? heRef : ref
  const facts = [name, t.library.versionName(version), license && t.answers.licence(license)]
  return [...facts, /^https?:/.test(url) ? url : ''].filter((fact) => fact !== '').join(' · ')
}

/** A Markdown text whose links to the library have the address of this service, so that they work elsewhere too. */
export function withAbsoluteLinks(text: string, origin: string): string {
  return text.replaceAll('](/library/', `](${origin}/library/`)
}
