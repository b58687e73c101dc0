import type { Readable } from 'node:stream'
import { createParser, type EventSourceParser } from 'eventsource-parser'
import { CallFailure } from './failure.ts'
import type { Watchdog } from './watchdog.ts'

/** One JSON text of a reply. */
export type Payload = {
  readonly data: string
  /** The SSE event name, if the upstream sent one. */
  readonly event?: string | undefined
  /** The body ended within this payload, so it may be incomplete. */
  readonly cut?: boolean
}

/**
 * Maximum characters of one SSE event. It fits a delta of a turn's maximum text with six characters per letter.
 */
const FRAME_CHARACTERS = 4 * 1024 * 1024
/** Maximum characters of a reply in one JSON text, in which a letter can take six characters (`\u05d0`). */
const WHOLE_REPLY_CHARACTERS = 16 * 1024 * 1024

/**
 * Data that carries nothing: a comment that a gateway wrapped (`: OPENROUTER PROCESSING`), an empty JSON value, or a
 * word such as `ping`. Like comments, it does not restart the idle timer.
 */
const KEEP_ALIVE = /^(?::.*|null|"[\w-]*"|[a-z][a-z_-]*)?$/is

interface Splitter {
  /** Adds text and returns the payloads that it completes. */
  feed(text: string): readonly Payload[]
  /** Returns the payloads that the end of the body completes. */
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
        else if (event === 'error' || !KEEP_ALIVE.test(data.trim())) this.#payloads.push({ data, event })
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
    // Some servers omit the blank line after the last event.
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

/** The body has data, or has ended. */
const news = ['readable', 'end', 'error', 'close'] as const

/**
 * Reads a body once and passes the payloads of each network read together. The first character decides between
 * an event stream and a single JSON reply, because servers and proxies mislabel both.
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
   * Passes payloads to `take` until the body ends or `take` returns false. It uses callbacks, because a promise
   * per token would be allocated for thousands of streams.
   * @throws CallFailure if the call was ended or a line is too long; the body's error if the connection breaks;
   *   the error of `take`.
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

  /**
   * Passes everything that is available.
   * @returns whether more must be waited for.
   */
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

  /**
   * Whether the body has ended.
   * @throws the body's error, or CallFailure if the connection was lost.
   */
  #isOver(): boolean {
    const { errored, readableEnded, destroyed } = this.#body
    if (errored) throw errored
    if (destroyed && !readableEnded) {
      throw new CallFailure('upstream', "The connection to the model's server was lost during its reply.", {
        retryable: true,
      })
    }
    return readableEnded
  }

  #split(bytes: Uint8Array): readonly Payload[] {
    if (!this.#begun) this.#watch.expect('idle')
    this.#begun = true
    const text = this.#decoder.decode(bytes, { stream: true })
    this.#splitter ??= chooseSplitter(text)
    // Parts of a single JSON reply count as payloads for the idle timer.
    if (this.#splitter instanceof WholeReplySplitter && text.trim() !== '') this.#watch.payload()
    return this.#splitter?.feed(text) ?? []
  }
}

/** Blank text before the first character has no meaning in either format. */
function chooseSplitter(text: string): Splitter | undefined {
  const first = text.trimStart()[0]
  if (first === undefined) return undefined
  return first === '{' || first === '[' ? new WholeReplySplitter() : new EventStreamSplitter()
}
