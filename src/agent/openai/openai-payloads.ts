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

/** A delta as long as a turn's text may be is still read, with six characters for a letter, and cut. */
const FRAME_CHARACTERS = 4 * 1024 * 1024
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

/** When there is something to read, or nothing more. */
const news = ['readable', 'end', 'error', 'close'] as const

/**
 * Reads a body once: the payloads of each network read together. Whether it is an event stream or a whole JSON reply is
 * decided by its first character: servers and proxies mislabel both.
 */
export class PayloadReader {
  readonly #body: Readable
  readonly #watch: Watchdog
  readonly #decoder = new TextDecoder()
  #splitter: Splitter | undefined
  #begun = false

  constructor(body: Readable, watch: Watchdog) {
    this.#body = body
    this.#watch = watch
  }

  /**
   * Resolves when `take` has been given all payloads, or wants no more. It is called and not waited for: of thousands of
   * streams each would allocate what waits again with each word.
   * @throws CallFailure when the call was ended, and on a line without bounds; whatever the body reports when the connection
   * breaks; what `take` throws.
   */
  read(take: (payloads: readonly Payload[]) => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          if (this.#goesOn(take)) return
          resolve()
        } catch (fault) {
          reject(fault)
        }
        for (const event of news) this.#body.off(event, look)
      }
      for (const event of news) this.#body.on(event, look)
      look()
    })
  }

  /** Gives away what there is. @returns whether more has to be waited for. */
  #goesOn(take: (payloads: readonly Payload[]) => boolean): boolean {
    this.#watch.check()
    for (;;) {
      const bytes: Uint8Array | null = this.#body.read()
      if (bytes === null && !this.#isOver()) return true
      const payloads = bytes ? this.#split(bytes) : (this.#splitter?.end() ?? [])
      if (payloads.length > 0) {
        this.#watch.payload()
        if (!take(payloads)) return false
      }
      if (bytes === null) return false
    }
  }

  /** Whether the body has come to its end. */
  #isOver(): boolean {
    const { errored, readableEnded, destroyed } = this.#body
    if (errored) throw errored
    if (destroyed && !readableEnded) {
      throw new CallFailure('upstream', "The model's server was lost in its reply.", { retryable: true })
    }
    return readableEnded
  }

  #split(bytes: Uint8Array): readonly Payload[] {
    if (!this.#begun) this.#watch.expect('idle')
    this.#begun = true
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#splitter ??= chooseSplitter(text)
    // Parts of a whole reply are as good as payloads: it goes on.
    if (this.#splitter instanceof WholeReplySplitter && text.trim() !== '') this.#watch.payload()
    return this.#splitter?.feed(text) ?? []
  }
}

/** Blank text before the first character means nothing in either format. */
function chooseSplitter(text: string): Splitter | undefined {
  const first = text.trimStart()[0]
  if (first === undefined) return undefined
  return first === '{' ? new WholeReplySplitter() : new EventStreamSplitter()
}
