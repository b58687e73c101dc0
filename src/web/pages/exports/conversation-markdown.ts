import type { ConversationTurn } from '../../../turns/read/conversation.ts'
import type { CitedSource } from '../../../turns/run/run-events.ts'
import { licenseText, wordsIn } from '../../../workspace/sheets/words.ts'
import type { Texts } from '../../texts/catalogue.ts'

/** The heading of a conversation with what its answers are, as Markdown. Its turns follow. */
export function headingMarkdown({ answers }: Texts, name: string): string {
  return `# ${oneLine(name)}\n\n${answers.fileIsUnchecked}\n`
}

/** Turns as Markdown: each question is a heading, with its answer and the sources by their numbers. */
export function turnsMarkdown(t: Texts, turns: readonly ConversationTurn[]): string {
  const parts = turns.flatMap(({ question, answer, end }) => [
    `## ${oneLine(question)}`,
    answer,
    ...(end && end.sources.length > 0
      ? [`### ${t.answers.sources}`, ...end.sources.map((source) => sourceItem(t, source))]
      : []),
  ])
  return `\n${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function sourceItem(t: Texts, { n, ref, he_ref: heRef, version, license, url, text }: CitedSource): string {
  const refs =
    t.language === 'he' && heRef !== '' ? heRef : [ref, heRef].filter((one) => one !== '').join(' · ')
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
  return `[${n}] **${refs}** (${facts.filter((fact) => fact !== '').join('; ')})\n\n${quoted}`
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim()
}
