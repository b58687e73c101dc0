/**
 * The connection of a client that waits for a turn, from admission to the end of its reply. A retry that finds the run
 * takes the place of the connection before.
 */
export class ClientConnection {
  readonly #connections: ClientConnections
  /** Undefined until the connection has a run. */
  #runId: string | undefined
  #waits = true

  constructor(connections: ClientConnections) {
    this.#connections = connections
  }

  /** Whether the client waits, and for which run. */
  get waitsFor(): string | undefined {
    return this.#waits ? this.#runId : undefined
  }

  /** Whether no newer connection of this process serves the same run. */
  get isCurrent(): boolean {
    return this.#connections.newestOf(this.#runId) === this
  }

  /** Whether a client that is connected here waits for the same run, this one included. */
  get isRunAwaited(): boolean {
    return this.#connections.awaits(this.#runId)
  }

  attach(runId: string): void {
    this.#runId = runId
    this.#connections.add(runId, this)
  }

  /** Called if the client has its reply, or has disconnected. */
  leave(): void {
    this.#waits = false
  }

  /** Called when nothing can happen to the connection any more. */
  close(): void {
    this.leave()
    this.#connections.remove(this.#runId, this)
  }
}

/** The connections of this process's clients, by run, oldest first. */
export class ClientConnections {
  readonly #byRun = new Map<string, ClientConnection[]>()

  open(): ClientConnection {
    return new ClientConnection(this)
  }

  newestOf(runId: string | undefined): ClientConnection | undefined {
    return this.#byRun.get(runId ?? '')?.at(-1)
  }

  awaits(runId: string | undefined): boolean {
    return this.#byRun.get(runId ?? '')?.some(({ waitsFor }) => waitsFor === runId) ?? false
  }

  add(runId: string, connection: ClientConnection): void {
    const known = this.#byRun.get(runId)
    if (known) known.push(connection)
    else this.#byRun.set(runId, [connection])
  }

  remove(runId: string | undefined, connection: ClientConnection): void {
    if (runId === undefined) return
    const rest = this.#byRun.get(runId)?.filter((other) => other !== connection) ?? []
    if (rest.length > 0) this.#byRun.set(runId, rest)
    else this.#byRun.delete(runId)
  }
}
