import { Worker } from 'node:worker_threads'
import type { VectorReply, VectorRequest } from './vector-thread.ts'

type WithoutId<T> = T extends { readonly id: number } ? Omit<T, 'id'> : never

/** Requests that get a reply. */
export type AnsweredRequest = WithoutId<VectorRequest>

type Waiting = { resolve(reply: VectorReply): void; reject(error: Error): void }

/** The thread that holds the vectors, from the side of the service. It ends with `close`, or by a fault of its own. */
export class VectorThread {
  readonly #worker = new Worker(new URL('./vector-thread.ts', import.meta.url))
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #fault: Error | undefined

  constructor() {
    // It must not keep a process alive that has nothing else to do.
    this.#worker.unref()
    this.#worker.on('message', (reply: VectorReply) => {
      this.#waiting.get(reply.id)?.resolve(reply)
      this.#waiting.delete(reply.id)
    })
    this.#worker.on('error', (error) => this.#fail(error))
    this.#worker.on('exit', () => this.#fail(new Error('the thread of vectors has ended')))
  }

  get hasFailed(): boolean {
    return this.#fault !== undefined
  }

  send(request: VectorRequest): void {
    this.#worker.postMessage(request)
  }

  /** @param transfer memory that is handed over. @throws the fault that ended the thread. */
  ask(request: AnsweredRequest, transfer: readonly ArrayBuffer[] = []): Promise<VectorReply> {
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
