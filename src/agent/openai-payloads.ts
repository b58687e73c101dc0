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

/** What both undici's body and Node's Readable offer. */
type ByteStream = { iterator(options: { destroyOnReturn: boolean }): AsyncIterable<Uint8Array> }

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

/**
 * Reads the body once and yields the payloads of each network read together. Whether it is an event stream or a whole
 * JSON reply is told by its first character: servers and proxies mislabel both.
 * @throws CallFailure on a line without bounds; whatever the body throws when the connection breaks.
 */
export async function* readPayloads(body: ByteStream, watch: Watchdog): AsyncGenerator<readonly Payload[]> {
  const decoder = new TextDecoder()
  let splitter: Splitter | undefined
  let begun = false
  for await (const bytes of body.iterator({ destroyOnReturn: false })) {
    if (!begun) watch.expect('idle')
    begun = true
    const text = decoder.decode(bytes, { stream: true })
    splitter ??= chooseSplitter(text)
    if (!splitter) continue
    const payloads = splitter.feed(text)
    if (payloads.length > 0 || (splitter instanceof WholeReplySplitter && text.trim() !== '')) watch.payload()
    if (payloads.length > 0) yield payloads
  }
  yield splitter?.end() ?? []
}

/** Blank text before the first character means nothing in either format. */
function chooseSplitter(text: string): Splitter | undefined {
  const first = text.trimStart()[0]
  if (first === undefined) return undefined
  return first === '{' ? new WholeReplySplitter() : new EventStreamSplitter()
}
