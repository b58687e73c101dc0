import type { FastifyReply } from 'fastify'
import { withTx } from '../../../db/client.ts'
import { disconnectSignal } from '../../../http/connection/disconnect.ts'
import { sendEvents } from '../../../http/connection/stream.ts'
import { eventData } from '../../../http/transfers/event-data.ts'
import { followCommitted } from '../../../turns/read/follow.ts'
import { type AttachedFile, questionsOf, withFileNames } from '../../../turns/read/shown-messages.ts'
import { foldLog, type RunState } from '../../../turns/record/fold-log.ts'
import type { Log } from '../../../turns/record/run-log.ts'
import type { Run } from '../../../turns/run/run.ts'
import { isTerminal } from '../../../turns/run/run-events.ts'
import { LiveMarkdown } from '../../markdown/live-markdown.ts'
import type { Texts } from '../../texts/catalogue.ts'
import { namesOf } from '../ask/library-facts.ts'
import { passagesReadText } from '../ask/live-turn-view.ts'
import { citationMarks, passagesReadList } from '../ask/source-views.ts'
import { asWritten, type RefNames, refsInTitles } from '../ref-names.ts'
import type { WebServices } from '../services.ts'

/**
 * Streams a running turn for its page as server-sent events. Each connection begins with the whole state:
 * - `progress`: `{ status, lines: [{ title, state }] }`.
 * - `sources`: `{ text, markup }`, when steps have read passages or the answer has cited another one.
 * - `blocks`: `{ from, blocks }`, the markup of the answer's blocks from this index on. Blocks before it stay.
 * - `end`: `{ text }`, the words for screen readers. The page then requests the ended turn.
 */
export function sendLiveTurn(services: WebServices, t: Texts, reply: FastifyReply, run: Run): FastifyReply {
  const left = disconnectSignal(reply)
  return sendEvents(reply, async (out) => {
    await out.add(': connected\n\n')
    const live = new LiveTurn(t, run)
    const questions = await withTx(services.database, { accountId: run.accountId }, (tx) =>
      questionsOf(tx, [run]),
    )
    live.progress.files = questions.get(run.id)?.files ?? []
    await followCommitted(services, run, 0, left, async (log) => {
      const { events } = log
      live.progress.take(log)
      const titles = live.progress.state.tools.map(({ title }) => title)
      if (events.some(({ event }) => event.type === 'tool.started'))
        live.progress.names = await namesOf(t, services.library, refsInTitles(t, titles))
      for (const text of await live.news()) await out.add(text)
      const last = events.findLast(({ event }) => isTerminal(event))?.event
      if (!last || !isTerminal(last)) return false
      await out.add(frame('end', { text: t.answers.ends[last.type] }))
      return true
    })
  })
}

/** What a connection has sent of a turn, and what is new. */
class LiveTurn {
  readonly progress: LiveProgress
  readonly #t: Texts
  readonly #run: Run
  readonly #markdown = new LiveMarkdown()
  /** Numbers of passages and of citations in the sources that were sent. */
  #sentSources = '0 0'
  #sentProgress = ''
  #sentBlocks: readonly string[] = []
  #sentText = ''

  constructor(t: Texts, run: Run) {
    this.#t = t
    this.progress = new LiveProgress(t)
    this.#run = run
  }

  /** The frames for everything that has changed since the last call. */
  async news(): Promise<readonly string[]> {
    const frames: string[] = []
    const sources = await this.#changedSources()
    if (sources) frames.push(sources)
    const progress = frame('progress', this.progress.shown())
    if (progress !== this.#sentProgress) frames.push(progress)
    this.#sentProgress = progress
    const blocks = await this.#changedBlocks()
    if (blocks) frames.push(blocks)
    return frames
  }

  /** Before the blocks, so that each number in the answer has a source to lead to. */
  async #changedSources(): Promise<string | undefined> {
    const { passages: read, cited } = this.progress.state
    const now = `${read.length} ${cited.length}`
    if (now === this.#sentSources) return undefined
    this.#sentSources = now
    const markup = String(await passagesReadList(this.#t, this.#run, read, cited))
    return frame('sources', { text: passagesReadText(this.#t, read), markup })
  }

  async #changedBlocks(): Promise<string | undefined> {
    const { text, cited } = this.progress.state
    if (text === this.#sentText) return undefined
    const blocks = await this.#markdown.render(text, citationMarks(this.#t, this.#run.id, cited))
    if (!blocks) return undefined
    this.#sentText = text
    const sent = this.#sentBlocks
    const changed = blocks.findIndex((markup, at) => markup !== sent[at])
    const from = changed === -1 ? blocks.length : changed
    if (from === blocks.length && from === sent.length) return undefined
    this.#sentBlocks = blocks
    return frame('blocks', { from, blocks: blocks.slice(from) })
  }
}

function frame(event: string, data: object): string {
  return `event: ${event}\ndata: ${eventData(data)}\n\n`
}

/** One line per tool call, with its result. */
type ProgressLine = { readonly title: string; readonly state: 'now' | 'done' | 'failed' }

/** The state of a running turn, from its committed log. */
class LiveProgress {
  readonly #t: Texts
  #log: Log = { events: [], steps: [] }
  state: RunState = foldLog(this.#log)
  /** Names of the refs in the titles. */
  names: RefNames = asWritten
  /** The files that the question is about. */
  files: readonly AttachedFile[] = []

  constructor(t: Texts) {
    this.#t = t
  }

  take({ events, steps }: Log): void {
    this.#log = { events: [...this.#log.events, ...events], steps: [...this.#log.steps, ...steps] }
    this.state = foldLog(this.#log)
  }

  /** The line of the status and the lines of the tool calls. */
  shown(): { readonly status: string; readonly lines: readonly ProgressLine[] } {
    const lines = this.state.tools.map(({ title, state }) => ({
      title: this.#t.translate(withFileNames(title, this.files), this.names),
      state,
    }))
    const current = lines.findLast(({ state }) => state === 'now')
    return { status: current ? this.#t.answers.doing(current.title) : this.#restingStatus(), lines }
  }

  #restingStatus(): string {
    const { waiting, thinking, writing } = this.#t.answers
    if (this.state.events.at(-1)?.event.type === 'run.queued') return waiting
    return this.state.text === '' ? thinking : writing
  }
}
