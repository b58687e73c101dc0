import { CodeSpans } from './code-spans.ts'

/** What the replies of one upstream have shown of its habits. Kept for its later replies. */
export type ReasoningHabit = {
  /** Its last reply had a closing tag alone: the template opens the reasoning in the prompt. */
  closesOnly: boolean
}

type Tag = { readonly open: string; readonly close: string }

const named = (name: string): Tag => ({ open: `<${name}>`, close: `</${name}>` })

/** Tags that models put around their reasoning, in lower case, as the model cards and parsers of vLLM document them. */
const TAGS: readonly Tag[] = [
  // DeepSeek, Qwen, GLM, MiniMax, Kimi; Gemini; models that follow a prompt.
  ...['think', 'thinking', 'thought', 'thoughts', 'reasoning', 'seed:think'].map(named),
  // Mistral's Magistral.
  { open: '[think]', close: '[/think]' },
  // Kimi-VL.
  { open: '◁think▷', close: '◁/think▷' },
  // Gemma 4.
  { open: '<|channel>thought', close: '<channel|>' },
  // GPT-OSS: everything before the final channel is reasoning.
  { open: '<|channel|>analysis<|message|>', close: '<|channel|>final<|message|>' },
]

type Mark = { readonly text: string; readonly tag: Tag; readonly closes: boolean }

const OPENINGS: readonly Mark[] = TAGS.map((tag) => ({ text: tag.open, tag, closes: false }))
const MARKS: readonly Mark[] = [
  ...OPENINGS,
  ...TAGS.map((tag): Mark => ({ text: tag.close, tag, closes: true })),
]
const LONGEST = Math.max(...MARKS.map(({ text }) => text.length))
/** Characters that a tag begins with. */
const FIRST = new Set(MARKS.map(({ text }) => text[0]))
/** Text without any of these neither contains a tag nor begins or ends code. */
const NOTABLE = /[<[◁`~\n]/
const CLOSINGS = new Map(TAGS.map((tag) => [tag, new RegExp(RegExp.escape(tag.close), 'i')]))

/** Matches one of the tags where it is told to look. */
const matcherOf = (marks: readonly Mark[]): RegExp =>
  new RegExp(marks.map(({ text }) => RegExp.escape(text)).join('|'), 'iy')
const ANY_OPENING = matcherOf(OPENINGS)
const ANY_MARK = matcherOf(MARKS)
const MARK_OF = new Map(MARKS.map((mark) => [mark.text, mark]))

/** The tag that begins at a place, or `part` if the text ends within what may be one. */
function markAt(text: string, at: number, any: RegExp): Mark | 'part' | undefined {
  any.lastIndex = at
  const [whole] = any.exec(text) ?? []
  if (whole !== undefined) return MARK_OF.get(whole.toLowerCase())
  if (text.length - at >= LONGEST) return undefined
  const rest = text.slice(at).toLowerCase()
  const marks = any === ANY_OPENING ? OPENINGS : MARKS
  return marks.some((mark) => mark.text.startsWith(rest)) ? 'part' : undefined
}

/**
 * The text of one reply without the reasoning that servers leave in it. Reasoning is a block in tags at the beginning
 * of a reply, or everything before a closing tag without an opening one. Tags in code or elsewhere are text. Of text
 * outside reasoning only a possible tag at its end is held back.
 *
 * Text that was taken cannot be taken back. A closing tag alone therefore removes the text before it only if none was
 * taken. Afterwards (`ReasoningHabit`) replies of that upstream are held back until their closing tag or their end.
 */
export class ReplyText {
  readonly #habit: ReasoningHabit
  readonly #pieces: string[] = []
  readonly #code = new CodeSpans()
  #taken = 0
  /** `plain`: no tag that follows is one of reasoning. */
  #stage: 'start' | 'reasoning' | 'text' | 'plain' = 'start'
  #tag: Tag | undefined
  /** Blank text before the first word. It is dropped around reasoning. */
  #blank = ''
  /** The possible beginning of a tag. */
  #held = ''
  #isHeldBack = false
  #hasReasoning = false

  constructor(habit: ReasoningHabit) {
    this.#habit = habit
  }

  get isBlank(): boolean {
    return this.#pieces.every((piece) => piece.trim() === '')
  }

  /** Whether reasoning was removed. */
  get hasReasoning(): boolean {
    return this.#hasReasoning
  }

  add(text: string): void {
    if (this.#stage === 'text' && this.#held === '' && !NOTABLE.test(text)) {
      this.#code.skip()
      this.#show(text)
      return
    }
    let rest = this.#held + text
    this.#held = ''
    while (rest !== '') rest = this.#read(rest)
  }

  /**
   * Releases what was held back. More text may follow, from servers that send some after the finish reason.
   * @param isCutOff the reply reached its token limit.
   */
  end(isCutOff: boolean): void {
    if (this.#stage !== 'reasoning') this.#show(this.#blank + this.#held)
    this.#blank = ''
    this.#held = ''
    if (!this.#isHeldBack) return
    this.#isHeldBack = false
    if (isCutOff) this.#drop()
    else this.#habit.closesOnly = false
  }

  /** Returns the text since the last call. */
  take(): string {
    const { length } = this.#pieces
    if (this.#isHeldBack || this.#taken === length) return ''
    const text =
      length - this.#taken === 1 ? (this.#pieces[length - 1] ?? '') : this.#pieces.slice(this.#taken).join('')
    this.#taken = length
    return text
  }

  /** All text, taken or not. */
  toString(): string {
    return this.#pieces.join('')
  }

  #show(text: string): void {
    if (text !== '') this.#pieces.push(text)
  }

  #drop(): void {
    this.#pieces.length = 0
    this.#hasReasoning = true
  }

  /** Returns the text that is left for the next stage. */
  #read(text: string): string {
    if (this.#stage === 'start') return this.#begin(text)
    if (this.#stage === 'reasoning') return this.#skipReasoning(text)
    if (this.#stage === 'text') return this.#scan(text)
    this.#show(text)
    return ''
  }

  #begin(text: string): string {
    const at = text.search(/\S/)
    if (!this.#hasReasoning) this.#blank += at === -1 ? text : text.slice(0, at)
    if (at === -1) return ''
    const mark = markAt(text, at, ANY_OPENING)
    if (mark === 'part') {
      this.#held = text.slice(at)
      return ''
    }
    if (mark) {
      this.#stage = 'reasoning'
      this.#tag = mark.tag
      this.#hasReasoning = true
      this.#blank = ''
      return text.slice(at + mark.text.length)
    }
    this.#stage = this.#hasReasoning ? 'plain' : 'text'
    this.#isHeldBack = this.#stage === 'text' && this.#habit.closesOnly
    const blank = this.#blank
    this.#blank = ''
    return blank + text.slice(at)
  }

  #skipReasoning(text: string): string {
    const closing = this.#tag && CLOSINGS.get(this.#tag)?.exec(text)
    if (closing) {
      this.#stage = 'start'
      return text.slice(closing.index + closing[0].length)
    }
    this.#held = text.slice(-LONGEST)
    return ''
  }

  #scan(text: string): string {
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at] ?? ''
      const mark = FIRST.has(character) && !this.#code.isInside ? markAt(text, at, ANY_MARK) : undefined
      if (mark === 'part') {
        this.#show(text.slice(0, at))
        this.#held = text.slice(at)
        return ''
      }
      if (mark?.closes) return this.#closeAlone(text, at, mark)
      if (mark) {
        this.#stage = 'plain'
        this.#isHeldBack = false
        return text
      }
      this.#code.read(character)
    }
    this.#show(text)
    return ''
  }

  #closeAlone(text: string, at: number, mark: Mark): string {
    this.#habit.closesOnly = true
    this.#isHeldBack = false
    if (this.#taken === 0) {
      this.#drop()
      this.#stage = 'start'
    } else {
      this.#show(text.slice(0, at))
      this.#stage = 'plain'
    }
    return text.slice(at + mark.text.length)
  }
}
