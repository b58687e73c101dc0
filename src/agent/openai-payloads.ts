import type { Readable } from 'node:stream'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import { CallFailure } from './openai-failure.ts'
import type { Watchdog } from './openai-watchdog.ts'

/** One JSON text of the reply. */
export type Payload = {
  readonly data: string
  /** The SSE event name, where the upstream gave one. */
  readonly event?: string | undefined
  /** The body ended inside this payload, so that it may be cut short. */
  readonly cut?: boolean
}

const FRAME_CHARACTERS = 1024 * 1024
/** A whole reply is one JSON text, in which a letter can take six characters (`\u05d0`). */
const WHOLE_REPLY_CHARACTERS = 16 * 1024 * 1024

interface Splitter {
  /** Takes the next text and returns the payloads that it completed. */
  feed(text: string): readonly Payload[]
  /** Returns what the end of the body completes. */
  end(): readonly Payload[]
}

function tooLong(): CallFailure {
  return new CallFailure('upstream', "The model's server sent a line that is too long.")
}

class EventStreamSplitter implements Splitter {
  readonly #parser: EventSourceParser
  #payloads: Payload[] = []
  #overflow = false

  constructor() {
    this.#parser = createParser({
      maxBufferSize: FRAME_CHARACTERS,
      onEvent: ({ data, event }) => {
        if (data.length > FRAME_CHARACTERS) this.#overflow = true
        else if (data.trim() !== '') this.#payloads.push({ data, event })
      },
      onError: ({ type }) => {
        if (type === 'max-buffer-size-exceeded') this.#overflow = true
      },
    })
  }

  feed(text: string): readonly Payload[] {
    this.#parser.feed(text)
    if (this.#overflow) throw tooLong()
    const payloads = this.#payloads
    this.#payloads = []
    return payloads
  }

  end(): readonly Payload[] {
    // Some servers leave out the blank line after their last event.
    return this.feed('\n\n').map((payload) => ({ ...payload, cut: true }))
  }
}

class WholeReplySplitter implements Splitter {
  readonly #parts: string[] = []
  #length = 0

  feed(text: string): readonly Payload[] {
    this.#length += text.length
    if (this.#length > WHOLE_REPLY_CHARACTERS) throw tooLong()
    this.#parts.push(text)
    return []
  }

  end(): readonly Payload[] {
    return [{ data: this.#parts.join(''), cut: true }]
  }
}

/** What a waiting reader looks up at. */
const news = ['readable', 'end', 'error', 'close'] as const

/**
 * Reads a body once: the payloads of each network read together. Whether it is an event stream or a whole JSON reply is
 * told by its first character: servers and proxies mislabel both.
 */
export class PayloadReader {
  readonly #body: Readable
  readonly #watch: Watchdog
  readonly #decoder = new TextDecoder()
  #splitter: Splitter | undefined
  #begun = false
  #ended = false
  #wake = () => {}

  constructor(body: Readable, watch: Watchdog) {
    this.#body = body
    this.#watch = watch
    for (const event of news) body.on(event, this.#news)
  }

  /**
   * At least one payload, or undefined after the last one.
   * @throws CallFailure on a line without bounds; whatever the body reports when the connection breaks.
   */
  async next(): Promise<readonly Payload[] | undefined> {
    // One function that waits and no more: each of thousands of streams would have the others, made anew with each word.
    while (!this.#ended) {
      const bytes: Uint8Array | null = this.#body.read()
      if (bytes === null && !this.#isOver()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
        continue
      }
      const payloads = bytes ? this.#take(bytes) : this.#end()
      if (payloads.length > 0) return payloads
    }
    return undefined
  }

  /** Lets go of the body. */
  close(): void {
    for (const event of news) this.#body.off(event, this.#news)
  }

  readonly #news = (): void => this.#wake()

  /** Whether the body has come to its end. */
  #isOver(): boolean {
    const { errored, readableEnded, destroyed } = this.#body
    if (errored) throw errored
    if (destroyed && !readableEnded) {
      throw new CallFailure('upstream', "The model's server was lost in its reply.", { retryable: true })
    }
    return readableEnded
  }

  #take(bytes: Uint8Array): readonly Payload[] {
    if (!this.#begun) this.#watch.expect('idle')
    this.#begun = true
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#splitter ??= chooseSplitter(text)
    const payloads = this.#splitter?.feed(text) ?? []
    const isWhole = this.#splitter instanceof WholeReplySplitter && text.trim() !== ''
    if (payloads.length > 0 || isWhole) this.#watch.payload()
    return payloads
  }

  #end(): readonly Payload[] {
    this.#ended = true
    const payloads = this.#splitter?.end() ?? []
    if (payloads.length > 0) this.#watch.payload()
    return payloads
  }
}

/** Blank text before the first character means nothing in either format. */
function chooseSplitter(text: string): Splitter | undefined {
  const first = text.trimStart()[0]
  if (first === undefined) return undefined
  return first === '{' ? new WholeReplySplitter() : new EventStreamSplitter()
}
