import { createServer, connect as dial, type Socket } from 'node:net'

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

const commit = Buffer.from('Q\0\0\0\u000bcommit\0', 'latin1')
/** The server ends each reply with this message. */
const readyForQuery = 'Z\0\0\0\u0005'
/** The end of a call. */
const sync = Buffer.from('S\0\0\0\u0004', 'latin1')

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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String(typeof address === 'object' && address ? address.port : 0)
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
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** One connection of a client and its connection to the server. */
class Pair {
  readonly #client: Socket
  readonly #server: Socket
  readonly #plans: Plan[]
  /** Data of the client since the start of its transaction, or since its last call. */
  #sent = ''
  #inTransaction = false
  /** Calls that the server has not answered yet. In pipeline mode there may be several. */
  #unanswered = 0
  /** Not passed on yet. */
  #held: Buffer = Buffer.alloc(0)

  constructor(client: Socket, server: Socket, plans: Plan[]) {
    this.#client = client
    this.#server = server
    this.#plans = plans
    client.on('error', () => client.destroy())
    server.on('error', () => server.destroy())
    client.on('close', () => server.end())
    server.on('close', () => client.destroy())
    client.on('data', (bytes: Buffer) => this.#fromClient(bytes))
    server.on('data', (bytes: Buffer) => {
      this.#unanswered = Math.max(0, this.#unanswered - countOf(bytes.toString('latin1'), readyForQuery))
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

  #fromClient(bytes: Buffer): void {
    const text = bytes.toString('latin1')
    if (text.includes('begin; set local')) [this.#sent, this.#inTransaction] = ['', true]
    this.#sent += text
    this.#held = Buffer.concat([this.#held, bytes])
    const index = this.#plans.findIndex((plan) => this.#sent.includes(plan.text))
    const ends = this.#inTransaction ? bytes.includes(commit) : this.#held.includes(sync)
    // A call to cut is forwarded completely or not at all.
    if (index >= 0 && !ends && !this.#inTransaction) return
    const held = this.#held
    this.#held = Buffer.alloc(0)
    if (ends) [this.#sent, this.#inTransaction] = ['', false]
    const [plan] = index >= 0 && ends ? this.#plans.splice(index, 1) : []
    this.#unanswered += countOf(held.toString('latin1'), sync.toString('latin1'))
    if (plan) this.#cutAtCommit(held, plan)
    else this.#server.write(held)
  }

  #cutAtCommit(bytes: Buffer, { fate, done }: Plan): void {
    const isCommit = bytes.includes(commit)
    const isAnswered = (answer: string) =>
      isCommit ? /COMMIT\0|ROLLBACK\0/.test(answer) : countOf(answer, readyForQuery) >= this.#unanswered
    this.#client.removeAllListeners('close')
    this.#server.removeAllListeners('data')
    if (fate === 'request-lost') {
      this.cut()
      done()
      return
    }
    const late = fate === 'reply-lost' ? 0 : fate.lateMs
    if (late > 0) this.#client.destroy()
    setTimeout(() => this.#server.write(bytes), late)
    let answer = ''
    const finish = () => {
      this.cut()
      done()
    }
    // The cut waits for the reply: after an earlier cut the server could notice it during the call and roll
    // back.
    this.#server.on('data', (part: Buffer) => {
      answer += part.toString('latin1')
      if (isAnswered(answer)) finish()
    })
    this.#server.once('close', finish)
  }
}

const countOf = (text: string, part: string): number => text.split(part).length - 1
