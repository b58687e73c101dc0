/** How long a lost connection is remembered if it could not be recorded: the retry window. */
const lostTtlMs = 15 * 60_000
/**
 * After a reply that may not have arrived, equal requests count as retries for this long. It is longer than a
 * replica that gets the retry is usually frozen.
 */
const unconfirmedTtlMs = 30_000

/**
 * The connection of a client that asked for a turn, from admission to the end of its reply. It is `lost` if the
 * client disconnected before its reply was complete and the run's row does not record that yet.
 */
export class ClientConnection {
  /** The run that it serves: its own, or the run of an equal request. */
  runId: string
  readonly identity: string | undefined
  readonly #connections: ClientConnections
  readonly since = performance.now()
  readonly #admission = Promise.withResolvers<void>()
  /** Resolves when it is known which run the connection got, if any. */
  readonly admitted = this.#admission.promise
  #endedAt: number | undefined
  #lostAt: number | undefined
  #over = false
  #reads = true

  constructor(connections: ClientConnections, identity: string | undefined, runId: string) {
    this.#connections = connections
    this.identity = identity
    this.runId = runId
  }

  get isLost(): boolean {
    return this.#lostAt !== undefined && !this.#over
  }

  /** Whether no newer connection serves the same run. */
  get isCurrent(): boolean {
    return !this.#over
  }

  /** Whether its client still waits for the run. A newer connection of the run does not change that. */
  get reads(): boolean {
    return this.#reads
  }

  /** Whether a client that is connected here waits for the same run, this one included. */
  get isRunAwaited(): boolean {
    return this.#connections.awaits(this.runId)
  }

  /** Since when the run has ended although the client may not have the reply, by our monotonic clock. */
  get unsettledSince(): number | undefined {
    return this.#over ? undefined : (this.#endedAt ?? this.#lostAt)
  }

  /** Attaches the connection to this run. An earlier connection of the run no longer counts. */
  attach(runId: string): void {
    this.#connections.attach(this, runId)
    this.#admission.resolve()
  }

  /** Called when the run's end has reached the reply. */
  ended(): void {
    this.#endedAt ??= performance.now()
  }

  /** Called if the client disconnected without its reply, or was told to send its request again. */
  lose(): void {
    this.#leave()
    if (this.#over || this.#lostAt !== undefined) return
    this.#lostAt = performance.now()
    setTimeout(() => this.settle(), lostTtlMs).unref()
  }

  /** Called if the client has its reply, if the run's row records that it has not, or if there is no run. */
  settle(): void {
    this.#leave()
    this.supersede()
  }

  /** Called if a newer connection counts for the run. Its client may still wait. */
  supersede(): void {
    if (this.#over) return
    this.#over = true
    this.#admission.resolve()
    this.#connections.remove(this)
  }

  #leave(): void {
    this.#reads = false
    this.#connections.removeReader(this)
  }

  /**
   * Called if the connection closed so soon after a complete reply that the client may not have received all of
   * it.
   */
  markUnconfirmed(): void {
    if (!this.#over || !this.#connections.restore(this)) return
    this.#over = false
    this.#lostAt = performance.now()
    setTimeout(() => this.settle(), unconfirmedTtlMs).unref()
  }
}

/** The connections of this process's clients, by request identity. */
export class ClientConnections {
  readonly #byIdentity = new Map<string, Set<ClientConnection>>()
  readonly #byRun = new Map<string, ClientConnection>()
  /** All connections whose clients wait for a run. `#byRun` has only the newest. */
  readonly #readers = new Map<string, Set<ClientConnection>>()

  /**
   * @param identity the same for equal requests of one key. Undefined: only an `Idempotency-Key` can identify a
   *   retry.
   * @param left aborted when the client disconnects before its reply is complete.
   */
  open(identity: string | undefined, runId: string, left: AbortSignal): ClientConnection {
    const connection = new ClientConnection(this, identity, runId)
    if (identity !== undefined) this.#add(connection, identity)
    if (left.aborted) connection.lose()
    else left.addEventListener('abort', () => connection.lose())
    return connection
  }

  /** Connections of equal requests whose clients have disconnected and whose runs do not record it yet. */
  lost(identity: string): readonly ClientConnection[] {
    return [...(this.#byIdentity.get(identity) ?? [])].filter((connection) => connection.isLost)
  }

  /** Whether a client that is connected here waits for this run. */
  serves(runId: string): boolean {
    return this.#byRun.get(runId)?.isLost === false
  }

  /** Whether any client that is connected here waits for this run. */
  awaits(runId: string): boolean {
    return this.#readers.has(runId)
  }

  removeReader(connection: ClientConnection): void {
    const those = this.#readers.get(connection.runId)
    if (those?.delete(connection) && those.size === 0) this.#readers.delete(connection.runId)
  }

  /**
   * Age in milliseconds of the oldest reply that is not complete although its run has ended; 0 if there is
   * none.
   */
  unsettledMs(): number {
    let oldest = Number.POSITIVE_INFINITY
    for (const those of this.#byIdentity.values())
      for (const { unsettledSince } of those) oldest = Math.min(oldest, unsettledSince ?? oldest)
    return Number.isFinite(oldest) ? performance.now() - oldest : 0
  }

  attach(connection: ClientConnection, runId: string): void {
    const before = this.#byRun.get(runId)
    if (before !== connection) before?.supersede()
    if (this.#byRun.get(connection.runId) === connection) this.#byRun.delete(connection.runId)
    this.removeReader(connection)
    connection.runId = runId
    if (connection.reads) this.#readers.set(runId, (this.#readers.get(runId) ?? new Set()).add(connection))
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

  /** Registers the connection again. @returns false if a newer connection serves the same run. */
  restore(connection: ClientConnection): boolean {
    const { identity, runId } = connection
    if (identity === undefined || this.#byRun.has(runId)) return false
    this.#add(connection, identity)
    this.#byRun.set(runId, connection)
    return true
  }

  #add(connection: ClientConnection, identity: string): void {
    this.#byIdentity.set(identity, (this.#byIdentity.get(identity) ?? new Set()).add(connection))
  }
}
