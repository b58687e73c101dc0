import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import { licenseText, wordsIn } from '../../../workspace/sheets/words.ts'
import { joined } from '../../components/html.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { checkTexts } from '../ask/answer-checks.ts'
import type { RefNames } from '../ref-names.ts'

/** The heading of a conversation with what its answers are, as Markdown. Its turns follow. */
export function headingMarkdown({ answers }: Texts, name: string): string {
  return `# ${oneLine(name)}\n\n${answers.fileIsChecked}\n`
}

/**
 * Turns as Markdown: each question is a heading, with the service's checks, the answer of the model under its own
 * heading, and the sources by their numbers.
 * @param origin the address of this service, for links of the answers to its library.
 */
export function turnsMarkdown(
  t: Texts,
  turns: readonly ConversationTurn[],
  names: RefNames,
  origin: string,
): string {
  const parts = turns.flatMap((turn) => {
    const { question, answer, end } = turn
    return [
      `## ${oneLine(question)}`,
      checksPart(t, checkTexts(t, turn, names)),
      ...(answer === '' ? [] : [`### ${t.answers.byModel}`, withAbsoluteLinks(answer, origin)]),
      ...(end && end.sources.length > 0
        ? [`### ${t.answers.sources}`, ...end.sources.map((source) => sourceItem(t, source))]
        : []),
    ]
  })
  return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function checksPart(t: Texts, lines: readonly string[]): string {
  if (lines.length === 0) return ''
  const items = lines.map((line) => `> - ${oneLine(line).replace(/[\\`*_[\]<>|~]/g, '\\$&')}`)
  return [`> **${t.answers.checks.byService}**`, '>', ...items].join('\n')
}

function sourceItem(t: Texts, { n, ref, he_ref: heRef, version, license, url, text }: CitedSource): string {
  const refs = t.language === 'he' && heRef !== '' ? heRef : joined([ref, heRef])
  const facts = [
    t.library.versionName(version),
    license === ''
      ? ''
      : t.answers.licence(t.language === 'he' ? licenseText({ license }, wordsIn('he')) : license),
    /^https?:/.test(url) ? `<${url}>` : '',
  ]
  const quoted = text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n')
  return `[${n}] **${refs}** (${joined(facts, '; ')})\n\n${quoted}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}

/** A Markdown text whose links to the library have the address of this service, so that they work elsewhere too. */
export function withAbsoluteLinks(text: string, origin: string): string {
  return text.replaceAll('](/library/', `](${origin}/library/`)
}
