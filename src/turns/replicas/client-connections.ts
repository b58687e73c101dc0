/**
 * The connection of a client that waits for a turn, from admission to the end of its reply. A retry that finds the run
 * takes the place of the connection before.
 */
export class ClientConnection {
  readonly #byRun: Map<string, readonly ClientConnection[]>
  /** Empty until the connection has a run. */
  #runId = ''
  #waits = true

  /** @param byRun the connections of this process's clients, by run, oldest first. */
  constructor(byRun: Map<string, readonly ClientConnection[]>) {
    this.#byRun = byRun
  }

  /** Whether no newer connection of this process serves the same run. */
  get isCurrent(): boolean {
    return this.#ofRun.at(-1) === this
  }

  /** Whether a client that is connected here waits for the same run, this one included. */
  get isRunAwaited(): boolean {
    return this.#ofRun.some((connection) => connection.#waits)
  }

  attach(runId: string): void {
    this.#runId = runId
    this.#byRun.set(runId, [...this.#ofRun, this])
  }

  /** Called if the client has its reply, or has disconnected. */
  leave(): void {
    this.#waits = false
  }

  /** Called when nothing can happen to the connection any more. */
  close(): void {
    this.leave()
    const rest = this.#ofRun.filter((other) => other !== this)
    if (rest.length > 0) this.#byRun.set(this.#runId, rest)
    else this.#byRun.delete(this.#runId)
  }

  get #ofRun(): readonly ClientConnection[] {
    return this.#byRun.get(this.#runId) ?? []
  }
}

/** The connections of this process's clients. */
export class ClientConnections {
  readonly #byRun = new Map<string, readonly ClientConnection[]>()

  open(): ClientConnection {
    return new ClientConnection(this.#byRun)
  }
}
