import type { StepRecord } from '../../agent/events.ts'
import { GrowingText } from '../../agent/growing-text.ts'
import type { ToolCall } from '../../agent/provider.ts'
import { answerFormatOf } from '../../agent/schema/answer-format.ts'
import type { FileChange, OfferedSource } from '../../agent/tools.ts'
import type {
  AnswerChecks,
  AnswerToCheck,
  CitedSource as CheckedSource,
} from '../../sources/citations/check.ts'
import { createOwnWordsFilter } from '../../sources/citations/own-words.ts'
import { createCitationRenderer } from '../../sources/citations/renderer.ts'
import { besidesQuestion } from '../../sources/citations/repeated-words.ts'
import { languageOf, renderSourceList } from '../../sources/citations/source-list.ts'
import type { SourceMarks } from '../../sources/citations/source-marks.ts'
import type { VerifiedQuote } from '../../sources/citations/verify.ts'
import { usageOf } from '../record/finish-run.ts'
import type { FirstCitation, RunEnd, ToolUse } from '../run/run-events.ts'
import type { RunRequest } from '../run/run-request.ts'

/**
 * The answer of a turn while it grows. It removes the model's own claims about verification, replaces its marks
 * by numbers, and adds up finished steps.
 */
export type Answer = {
  /** The part of the text that can be shown now. */
  show(text: string): string
  /**
   * Returns text that was held back because it might have been removed or become a mark. Call it at the end of
   * each model reply, because neither can continue in the next reply.
   */
  rest(): string
  /** The sources that were cited for the first time since the last call. Undefined if there are none. */
  newlyCited(): { readonly cited: readonly FirstCitation[] } | undefined
  isEmpty(): boolean
  /** All text that was shown. */
  text(): string
  /** Notes a call of one of the turn's own tools. `at` (default: the end): length of the text before it. */
  toolUsed(tool: Omit<ToolUse, 'at'> & { readonly at?: number }): void
  add(record: StepRecord): void
  /** Compares the quotations of the answer and of the question, and looks up the refs named in the answer. */
  check(checkAnswer: (answer: AnswerToCheck) => Promise<AnswerChecks>): Promise<void>
  /** Builds the data of the run's end, at this cost in micro-credits. */
  end(costMicros: bigint, options?: { readonly paused: boolean }): RunEnd
}

/**
 * Creates an answer. The client chooses how sources appear in the text (see `RunRequest`).
 * @param given numbers in brackets that the client wrote itself, see `givenNumbers`.
 * @param question the user's message of this turn. Its words may stand in quotation marks in the answer without
 *   a check.
 */
export function createAnswer(
  sourceMarks: SourceMarks,
  { sources, isolates = false, sampling = {}, citationStyle, isLite = false }: AnswerRequest,
  given: ReadonlySet<number> = new Set(),
  question = '',
): Answer {
  // A JSON answer is not filtered: numbers in brackets are JSON values there. Nor is a text that cites nothing.
  const ownWords = isLite || answerFormatOf(sampling) ? undefined : createOwnWordsFilter(given)
  const renderer = createCitationRenderer(sourceMarks.find, {
    numbers: sources !== 'block' && !isLite,
    links: citationStyle === 'links',
  })
  const steps: StepRecord[] = []
  const files: FileChange[] = []
  const tools: ToolUse[] = []
  const shown = new GrowingText()
  let checked: readonly CheckedSource[] | undefined
  let found: Found = { unknown_refs: [], quotations: [] }
  let toldCited = 0
  const list = (cited: Parameters<typeof renderSourceList>[0]) =>
    renderSourceList(cited, {
      language: languageOf(shown.toString().replaceAll(linkedNumber, '')),
      isolates,
      notFound: found.quotations.filter(({ result }) => result === 'not_found').length,
    })
  return {
    show(text) {
      const visible = renderer.push(ownWords ? ownWords.push(text) : text)
      shown.add(visible)
      return visible
    },
    rest() {
      const text = renderer.push(ownWords?.end() ?? '') + renderer.end().text
      for (const mark of ownWords?.listedMarks() ?? []) renderer.mention(mark)
      shown.add(text)
      return text
    },
    newlyCited() {
      const cited = renderer.cited()
      if (cited.length === toldCited) return undefined
      const fresh = cited.slice(toldCited)
      toldCited = cited.length
      return { cited: fresh.map(({ n, source }) => ({ n, ref: source.ref })) }
    },
    isEmpty: () => shown.length === 0,
    text: () => shown.toString(),
    toolUsed: ({ at = shown.length, ...tool }) => void tools.push({ ...tool, at }),
    add(record) {
      steps.push(record)
      if (record.kind === 'tool') files.push(...record.files)
    },
    async check(checkAnswer) {
      const cited = renderer.cited()
      const result = await checkAnswer({ text: renderer.raw(), cited, question })
      checked = cited.map((entry, i) => ({ ...entry, verification: result.verifications[i] ?? [] }))
      found = foundIn(result, question)
    },
    end(costMicros, { paused } = { paused: false }) {
      const cited = checked ?? renderer.cited().map((entry) => ({ ...entry, verification: [] }))
      return {
        text: shown.toString(),
        ...refusalOf(steps),
        source_list: sources === 'inline' && !paused && !isLite ? list(cited) : '',
        sources: cited.map(({ n, source, verification }) => ({ n, ...shownSource(source), verification })),
        citations: renderer.annotations(),
        unknown_marks: renderer.unknownMarks().length + (ownWords?.numbersLeftOut() ?? 0),
        ...found,
        files: lastChangeOfEach(files),
        tool_calls: paused ? openToolCalls(steps) : [],
        tools_used: tools,
        usage: usageOf(steps, costMicros),
      }
    },
  }
}

/** What the check found beside the cited sources. */
type Found = Pick<RunEnd, 'unknown_refs' | 'question_quotations'> & {
  readonly quotations: readonly VerifiedQuote[]
}

function foundIn({ refs, quotations, asked }: AnswerChecks, question: string): Found {
  return {
    unknown_refs: refs.flatMap(({ ref, exists, nearest, publisher }) =>
      exists ? [] : [{ ref, nearest, ...(publisher && { publisher }) }],
    ),
    quotations: besidesQuestion(quotations, question),
    ...(asked.length > 0 && { question_quotations: asked }),
  }
}

/** A citation as a link. The letters of its URL say nothing about the language of the answer. */
const linkedNumber = /\[\d+\]\([^)\s]*\)/g

type AnswerRequest = Pick<RunRequest, 'sources' | 'isolates' | 'citationStyle'> &
  Partial<Pick<RunRequest, 'sampling'>> & {
    /** Whether the model has no sources. */
    readonly isLite?: boolean
  }

/** Only the last reply of a turn can be a refusal. */
function refusalOf(steps: readonly StepRecord[]): Pick<RunEnd, 'refusal'> {
  const last = steps.at(-1)
  return last?.kind === 'model' && last.refusal !== undefined ? { refusal: last.refusal } : {}
}

/** Tool calls that the client must answer: those of the last reply without a result from this service. */
function openToolCalls(steps: readonly StepRecord[]): readonly ToolCall[] {
  const answered = new Set(steps.flatMap((step) => (step.kind === 'tool' ? [step.call.id] : [])))
  const lastReply = steps.findLast((step) => step.kind === 'model')
  return lastReply?.toolCalls.filter((call) => !answered.has(call.id)) ?? []
}

function shownSource(source: OfferedSource) {
  const { ref, heRef, title, work, language, version, license, url, text } = source
  return { ref, he_ref: heRef, title, work, language, version, license, url, text }
}

/** One entry per file. A file that this turn created keeps the action `created`, even if it was changed later. */
function lastChangeOfEach(files: readonly FileChange[]): readonly FileChange[] {
  const byId = new Map<string, FileChange>()
  for (const file of files) {
    const action = byId.get(file.id)?.action ?? file.action
    byId.set(file.id, { ...file, action })
  }
  return [...byId.values()]
}
