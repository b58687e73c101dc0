import type { ComparedQuestion, Comparison } from '../scores/compare.ts'
import type { Evaluation } from '../scores/evaluation.ts'
import type { ScoredQuestion } from '../scores/scored-question.ts'
import type { Totals } from '../scores/totals.ts'
import { type Row, rows } from './rows.ts'

/** Questions that a list in the terminal shows. The page has all. */
const maxListed = 20
const maxQuestion = 70

/** The lines of an evaluation for a terminal: its totals, and the questions that were not answered rightly. */
export function evaluationLines(evaluation: Evaluation): readonly string[] {
  const columns = [
    ['all', evaluation.totals] as const,
    ...Object.entries(evaluation.by_language).filter(() => Object.keys(evaluation.by_language).length > 1),
  ]
  const wanting = evaluation.questions.filter(isWanting)
  return [
    `${evaluation.file}, model ${evaluation.model}${promptText(evaluation)}, ${evaluation.passages.toLocaleString('en')} passages, charged to ${evaluation.account}`,
    '',
    ...totalLines(columns),
    ...listed('Failed, wrong or partly right', wanting.map(questionLine)),
  ]
}

/** The prompt as the reports name it. */
export function promptText({ prompt }: Pick<Evaluation, 'prompt'>): string {
  return prompt === undefined ? '' : `, prompt ${prompt}`
}

/** The lines of a comparison for a terminal. */
export function comparisonLines(comparison: Comparison): readonly string[] {
  const { a, b, better, worse, same, questions } = comparison
  const line = ({ id, a: { question }, why }: ComparedQuestion) =>
    `  ${id}  ${shortened(question)}  ${why.join('; ')}`
  const those = (change: ComparedQuestion['change']) =>
    questions.filter((each) => each.change === change).map(line)
  return [
    `A: ${a.file}, model ${a.model}${promptText(a)}, ${a.started_at}`,
    `B: ${b.file}, model ${b.model}${promptText(b)}, ${b.started_at}`,
    `${questions.length} questions in both: ${better} better, ${worse} worse, ${same} the same in B. Only in A: ${comparison.only_a.length}. Only in B: ${comparison.only_b.length}.`,
    '',
    ...totalLines(
      [
        ['A', a.totals],
        ['B', b.totals],
      ],
      true,
    ),
    ...listed('Worse in B', those('worse')),
    ...listed('Better in B', those('better')),
  ]
}

/** Whether a reader should look at the question. */
export function isWanting({ outcome, verdict }: ScoredQuestion): boolean {
  return outcome === 'failed' || verdict === 'wrong' || verdict === 'partly'
}

/** The change of one figure from A to B, such as `+3`. Empty if it is equal, or missing in one of them. */
export function differenceText({ figure, difference }: Row, a: Totals, b: Totals): string {
  const [first, second] = [figure(a), figure(b)]
  if (first === null || second === null || first === second) return ''
  const shown = difference(second - first)
  return second > first ? `+${shown}` : shown.replace('-', '−')
}

function totalLines(columns: readonly (readonly [string, Totals])[], differences = false): readonly string[] {
  const [a, b] = columns
  const header = ['', ...columns.map(([name]) => name), ...(differences ? ['B − A'] : [])]
  const cells = rows.map((row) => [
    row.isPart ? `  ${row.label}` : row.label,
    ...columns.map(([, totals]) => row.text(totals)),
    ...(differences && a && b ? [differenceText(row, a[1], b[1])] : []),
  ])
  const widths = header.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)),
  )
  return [header, ...cells].map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  if (lines.length === 0) return []
  const more =
    lines.length > maxListed ? [`  … and ${lines.length - maxListed} more; report.html has all`] : []
  return ['', `${title} (${lines.length}):`, ...lines.slice(0, maxListed), ...more]
}

function questionLine(question: ScoredQuestion): string {
  return `  ${question.id}  ${shortened(question.question)}  ${reasonOf(question)}`
}

/** Why a question is not right, in one phrase. */
export function reasonOf(question: ScoredQuestion): string {
  if (question.error) return `failed: ${question.error.message}`
  if (question.forbidden_cited.length > 0)
    return `cites what is forbidden: ${question.forbidden_cited.join(' · ')}`
  if (question.must_refuse) return 'answered, but must be refused'
  const lacking = question.expected.filter(({ found }) => !found).map(({ ref }) => ref)
  return `${question.outcome === 'refused' ? 'refused; ' : ''}not cited: ${lacking.join(' · ')}`
}

function shortened(question: string): string {
  const characters = [...question.replace(/\s+/g, ' ')]
  return characters.length > maxQuestion ? `${characters.slice(0, maxQuestion - 2).join('')} …` : question
}
