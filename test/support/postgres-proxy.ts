import { createServer, connect as dial, type Socket } from 'node:net'
import { close, listen } from './loopback.ts'

/**
 * What happens to a COMMIT: the server executes it and its reply is lost; it never reaches the server; or it
 * reaches the server this many milliseconds after the client's connection was cut.
 */
export type CommitFate = 'reply-lost' | 'request-lost' | { readonly lateMs: number }

/** A proxy on loopback in front of a Postgres. */
export type PostgresProxy = {
  /** The URL of the database, through the proxy. */
  readonly url: string
  /**
   * Cuts the next transaction that contains `text` at its COMMIT. Cuts a call that is its own transaction at
   * the call. Resolves after the cut.
   */
  cutAtCommit(text: string, fate: CommitFate): Promise<void>
  /** While true, new connections are refused. */
  refuse(on: boolean): void
  /** While true, data is neither forwarded nor are connections closed, as if the host were down. */
  stall(on: boolean): void
  /** Cuts every connection. */
  cutAll(): void
  close(): Promise<void>
}

type Plan = { readonly text: string; readonly fate: CommitFate; readonly done: () => void }

/** A message of the protocol: its type, a length of 4 bytes, and what it says. */
type Message = Buffer

const typeOf = (message: Message) => String.fromCharCode(message[0] ?? 0)
/** The server ends each reply with this type. */
const readyForQuery = 'Z'
/** The client ends a call with this type, and a statement without parameters has the other. */
const endsOfCalls = ['S', 'Q']
const isCommit = (message: Message) => message.toString('latin1').startsWith('Q\0\0\0\u000bcommit\0')

/** @param target URL of a database that needs no TLS. */
export async function startPostgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target)
  const pairs = new Set<Pair>()
  const plans: Plan[] = []
  let refusing = false
  let stalled = false
  const server = createServer((client) => {
    if (refusing) {
      client.destroy()
      return
    }
    const pair = new Pair(client, dial(Number(port), hostname), plans)
    pairs.add(pair)
    pair.stall(stalled)
    client.once('close', () => pairs.delete(pair))
  })
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(await listen(server))
  return {
    url: url.href,
    cutAtCommit: (text, fate) =>
      new Promise((done) => {
        plans.push({ text, fate, done })
      }),
    refuse(on) {
      refusing = on
    },
    stall(on) {
      stalled = on
      for (const pair of pairs) pair.stall(on)
    },
    cutAll() {
      for (const pair of pairs) pair.cut()
    },
    close() {
      for (const pair of pairs) pair.cut()
      return close(server)
    },
  }
}

/**
 * Cuts a stream into whole messages. Their borders are read, not searched for: a parameter can contain any bytes, and a key
 * that ends in "S" before the parameter `true` looks like the end of a call.
 */
class Messages {
  #rest: Buffer = Buffer.alloc(0)
  /** The first message of a client has no type. */
  #typed: boolean

  constructor({ typed }: { readonly typed: boolean }) {
    this.#typed = typed
  }

  read(bytes: Buffer): readonly Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes])
    const messages: Message[] = []
    while (this.#rest.length >= this.#lengthAt + 4) {
      const length = this.#lengthAt + this.#rest.readUInt32BE(this.#lengthAt)
      if (this.#rest.length < length) break
      messages.push(this.#rest.subarray(0, length))
      this.#rest = this.#rest.subarray(length)
      this.#typed = true
    }
    return messages
  }

  get #lengthAt(): number {
    return this.#typed ? 1 : 0
  }
}

/** One connection of a client and its connection to the server. */
class Pair {
  readonly #client: Socket
  readonly #server: Socket
  readonly #plans: Plan[]
  readonly #asked = new Messages({ typed: false })
  readonly #answered = new Messages({ typed: true })
  /** What the client sent since the start of its transaction, or since its last call. */
  #sent = ''
  #inTransaction = false
  /** Calls that the server has not answered yet. In pipeline mode there may be several. */
  #unanswered = 0
  /** Messages of a call that may be cut, not passed on yet. */
  #held: Message[] = []

  constructor(client: Socket, server: Socket, plans: Plan[]) {
    this.#client = client
    this.#server = server
    this.#plans = plans
    client.on('error', () => client.destroy())
    server.on('error', () => server.destroy())
    client.on('close', () => server.end())
    server.on('close', () => client.destroy())
    client.on('data', (bytes: Buffer) => {
      for (const message of this.#asked.read(bytes)) this.#fromClient(message)
    })
    server.on('data', (bytes: Buffer) => {
      this.#count(bytes)
      client.write(bytes)
    })
  }

  stall(on: boolean): void {
    for (const socket of [this.#client, this.#server]) on ? socket.pause() : socket.resume()
  }

  cut(): void {
    this.#client.destroy()
    this.#server.destroy()
  }

  #count(answer: Buffer): void {
    for (const message of this.#answered.read(answer))
      if (typeOf(message) === readyForQuery) this.#unanswered = Math.max(0, this.#unanswered - 1)
  }

  #fromClient(message: Message): void {
    const text = message.toString('latin1')
    if (text.includes('begin; set local')) [this.#sent, this.#inTransaction] = ['', true]
    this.#sent += text
    this.#held.push(message)
    const endsCall = endsOfCalls.includes(typeOf(message))
    const ends = this.#inTransaction ? isCommit(message) : endsCall
    const index = this.#plans.findIndex((plan) => this.#sent.includes(plan.text))
    // A call to cut is forwarded completely or not at all.
    if (index >= 0 && !endsCall) return
    const held = Buffer.concat(this.#held.splice(0))
    if (endsCall) this.#unanswered += 1
    if (ends) [this.#sent, this.#inTransaction] = ['', false]
    const [plan] = index >= 0 && ends ? this.#plans.splice(index, 1) : []
    if (plan) this.#cutAtCommit(held, plan)
    else this.#server.write(held)
  }

  #cutAtCommit(bytes: Buffer, { fate, done }: Plan): void {
    this.#client.removeAllListeners('close')
    this.#server.removeAllListeners('data')
    const finish = () => {
      this.cut()
      done()
    }
    if (fate === 'request-lost') {
      finish()
      return
    }
    const late = fate === 'reply-lost' ? 0 : fate.lateMs
    if (late > 0) this.#client.destroy()
    setTimeout(() => this.#server.write(bytes), late)
    // The cut waits for the reply: after an earlier cut the server could notice it during the call and roll
    // back.
    this.#server.on('data', (part: Buffer) => {
      this.#count(part)
      if (this.#unanswered === 0) finish()
    })
    this.#server.once('close', finish)
  }
}
