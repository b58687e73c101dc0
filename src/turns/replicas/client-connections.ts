/** How long one that could not be noted is remembered: as long as a repeated request can mean its run. */
const forgottenMs = 15 * 60_000
/**
 * How long after its end a reply that may not have arrived makes the same request a retry. Longer than a process is usually frozen that
 * the retry happens to be sent to.
 */
const doubtMs = 30_000

/**
 * The connection of a client that has asked for a turn, from the start of its admission until its reply is over. It is
 * `lost` when the client disconnected before its reply was complete and the run's row does not say so yet.
 */
export class ClientConnection {
  /** The run that it asks for: its own, or one that an equal request began. */
  runId: string
  readonly identity: string | undefined
  readonly #connections: ClientConnections
  readonly #admission = Promise.withResolvers<void>()
  readonly #since = performance.now()
  #endedAt: number | undefined
  #lostAt: number | undefined
  #over = false

  constructor(connections: ClientConnections, identity: string | undefined, runId: string) {
    this.#connections = connections
    this.identity = identity
    this.runId = runId
  }

  get since(): number {
    return this.#since
  }

  get isLost(): boolean {
    return this.#lostAt !== undefined && !this.#over
  }

  /** Resolves when it is known which run it got, or that it got none. */
  get admitted(): Promise<void> {
    return this.#admission.promise
  }

  /** Whether no newer connection asks for the same run. */
  get isCurrent(): boolean {
    return !this.#over
  }

  /** Since when its run has ended although the client may not have the reply, by our monotonic clock. */
  get unsettledSince(): number | undefined {
    return this.#over ? undefined : (this.#endedAt ?? this.#lostAt)
  }

  /** It has got this run. Whoever asked for it before is not asked about any more. */
  attach(runId: string): void {
    this.#connections.attach(this, runId)
    this.#admission.resolve()
  }

  /** The end of its run has come to the reply. */
  ended(): void {
    this.#endedAt ??= performance.now()
  }

  /** The client has disconnected, or is told to send its request again, without having the reply. */
  lose(): void {
    if (this.#over || this.#lostAt !== undefined) return
    this.#lostAt = performance.now()
    setTimeout(() => this.settle(), forgottenMs).unref()
  }

  /** The client has its reply, or the run's row says that it has not, or there is no run. */
  settle(): void {
    if (this.#over) return
    this.#over = true
    this.#admission.resolve()
    this.#connections.remove(this)
  }

  /** The reply was complete, and the connection ended so soon after it that the client may not have all of it. */
  doubt(): void {
    if (!this.#over || !this.#connections.restore(this)) return
    this.#over = false
    this.#lostAt = performance.now()
    setTimeout(() => this.settle(), doubtMs).unref()
  }
}

/** The connections of this process's clients, by what they ask for. */
export class ClientConnections {
  readonly #byIdentity = new Map<string, Set<ClientConnection>>()
  readonly #byRun = new Map<string, ClientConnection>()

  /**
   * @param identity the same for equal requests of one key; undefined: nobody can repeat it without a key.
   * @param left aborted when the client disconnects before its reply is complete.
   */
  open(identity: string | undefined, runId: string, left: AbortSignal): ClientConnection {
    const connection = new ClientConnection(this, identity, runId)
    if (identity !== undefined) this.#add(connection, identity)
    if (left.aborted) connection.lose()
    else left.addEventListener('abort', () => connection.lose())
    return connection
  }

  /** Those of equal requests that are lost, at this moment. */
  lost(identity: string): readonly ClientConnection[] {
    return [...(this.#byIdentity.get(identity) ?? [])].filter((connection) => connection.isLost)
  }

  /** Whether a client that is connected here waits for this run. */
  serves(runId: string): boolean {
    return this.#byRun.get(runId)?.isLost === false
  }

  /** The age of the oldest reply that is not over although its run has ended; 0 for none. */
  unsettledMs(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const those of this.#byIdentity.values())
      for (const { unsettledSince } of those) oldest = Math.min(oldest, unsettledSince ?? oldest)
    return Number.isFinite(oldest) ? performance.now() - oldest : 0
  }

  attach(connection: ClientConnection, runId: string): void {
    const before = this.#byRun.get(runId)
    if (before !== connection) before?.settle()
    if (this.#byRun.get(connection.runId) === connection) this.#byRun.delete(connection.runId)
    connection.runId = runId
    if (connection.identity !== undefined && connection.isCurrent) this.#byRun.set(runId, connection)
  }

  remove(connection: ClientConnection): void {
    const { identity, runId } = connection
    if (identity === undefined) return
    const those = this.#byIdentity.get(identity)
    those?.delete(connection)
    if (those?.size === 0) this.#byIdentity.delete(identity)
    if (this.#byRun.get(runId) === connection) this.#byRun.delete(runId)
  }

  /** @returns false when a newer connection has asked for its run. */
  restore(connection: ClientConnection): boolean {
    const { identity, runId } = connection
    if (identity === undefined || this.#byRun.has(runId)) return false
    this.#add(connection, identity)
    this.#byRun.set(runId, connection)
    return true
  }

  #add(connection: ClientConnection, identity: string): void {
    const those = this.#byIdentity.get(identity)
    if (those) those.add(connection)
    else this.#byIdentity.set(identity, new Set([connection]))
  }
}
