import { type Transferable, Worker } from 'node:worker_threads'

/** What the thread answers to a request: the same id. */
type Numbered = { readonly id: number }

type Waiting<Reply> = { resolve(reply: Reply): void; reject(error: Error): void }

type WithoutId<T> = T extends Numbered ? Omit<T, 'id'> : never

/**
 * A thread of its own that keeps something in memory and answers requests, each by its id. Unlike the pools of
 * `threads.ts`, it stays until `close`, or until a fault of its own.
 */
export class RequestThread<Message extends object, Reply extends Numbered> {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting<Reply>>()
  #lastId = 0
  #fault: Error | undefined

  /**
   * @param file starts the thread, which posts `Reply` for each message with an id.
   * @param options.onNotice called with messages of the thread that have no id.
   */
  constructor(
    file: URL,
    options: { readonly workerData?: unknown; readonly onNotice?: (notice: object) => void } = {},
  ) {
    this.#worker = new Worker(file, { workerData: options.workerData })
    // It must not keep a process alive that has nothing else to do.
    this.#worker.unref()
    this.#worker.on('message', (message: Reply | object) => {
      if (!('id' in message)) return options.onNotice?.(message)
      this.#waiting.get(message.id)?.resolve(message)
      this.#waiting.delete(message.id)
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('its thread has ended')))
  }

  /** Whether it answers no more. */
  get hasEnded(): boolean {
    return this.#fault !== undefined
  }

  /** Sends what gets no reply. */
  send(message: Exclude<Message, Numbered>): void {
    this.#worker.postMessage(message)
  }

  /**
   * Sends a request.
   * @param transfer memory that is handed over.
   * @throws the fault that ended the thread.
   */
  request(request: WithoutId<Message>, transfer: readonly Transferable[] = []): Promise<Reply> {
    if (this.#fault) return Promise.reject(this.#fault)
    this.#lastId += 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject })
      this.#worker.postMessage({ ...request, id }, transfer)
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #fail(error: Error): void {
    this.#fault ??= error
    for (const { reject } of this.#waiting.values()) reject(this.#fault)
    this.#waiting.clear()
  }
}
