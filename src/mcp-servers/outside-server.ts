import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import { badArguments, type Tool, type ToolOutcome } from '../agent/tools.ts'
import { Circuit } from '../circuit/circuit.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type Connection, connect, ReplyTooLarge } from './connection.ts'
import type { CallOutcome, McpMetrics } from './mcp-metrics.ts'
import { outsideText, secretRemover } from './outside-text.ts'
import type { ServerEntry } from './servers-file.ts'
import { type ListedTool, type OfferedTool, offeredTools } from './tool-list.ts'

/** Bounds of the work with one server. */
export type ServerLimits = {
  /** First pause after a failure, in milliseconds. It doubles with each further failure, up to ten minutes. */
  readonly pauseMs: number
  /** Age at which the list of tools is read again, in milliseconds. */
  readonly listMs: number
  /** Calls without a reply, one after the other, after which the pause begins. */
  readonly failures: number
  /** Maximum calls at the same time in this process. */
  readonly concurrentCalls: number
}

/** One outside server: its list of tools, and its calls. */
export class OutsideServer {
  readonly entry: ServerEntry
  readonly #limits: ServerLimits
  readonly #log: Logger
  readonly #metrics: McpMetrics | undefined
  readonly #circuit: Circuit
  readonly #redact: (text: string) => string
  readonly #warned = new Set<string>()
  #connection: Promise<Connection> | undefined
  #tools: readonly Tool<unknown>[] = []
  #listedAt = Number.NEGATIVE_INFINITY
  #failures = 0
  #calls = 0

  constructor(entry: ServerEntry, limits: ServerLimits, log: Logger, metrics?: McpMetrics) {
    this.entry = entry
    this.#limits = limits
    this.#log = log
    this.#metrics = metrics
    this.#circuit = new Circuit(limits.pauseMs)
    this.#redact = secretRemover(entry.at)
    metrics?.server(entry.name)
  }

  /** The tools for new turns: none before the server has answered, and none after failures until it answers again. */
  get tools(): readonly Tool<unknown>[] {
    return this.#tools
  }

  /** Reads the list of tools if it is missing or old, and no pause is open. A failure is logged, not thrown. */
  async refresh(signal: AbortSignal): Promise<void> {
    if (this.#circuit.isOpen || performance.now() - this.#listedAt < this.#limits.listMs) return
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.entry.timeoutMs)])
    try {
      const listed = await this.#use(limit, (connection) => connection.list(limit))
      const offered = offeredTools(this.entry, listed, (reason) => this.#warn(reason))
      // The same objects as long as nothing changes, because descriptions are cached by their identity.
      if (
        JSON.stringify(offered.map(({ spec }) => spec)) !==
        JSON.stringify(this.#tools.map(({ spec }) => spec))
      )
        this.#tools = offered.map((tool) => this.#tool(tool))
      this.#listedAt = performance.now()
      this.#circuit.succeeded()
      this.#failures = 0
      this.#log.info({ server: this.entry.name, tools: offered.length }, 'tools of an MCP server listed')
    } catch (error) {
      if (signal.aborted) return
      this.#pause(error)
    }
  }

  async close(): Promise<void> {
    await this.#connection?.then((connection) => connection.close()).catch(() => undefined)
  }

  #tool({ spec, listed }: OfferedTool): Tool<unknown> {
    return {
      spec,
      describe: () => `Calling ${listed.name} of ${this.entry.name}`,
      execute: (args, signal) => this.#call(listed, args, signal),
    }
  }

  async #call(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    turn: AbortSignal,
  ): Promise<ToolOutcome<unknown>> {
    turn.throwIfAborted()
    const since = performance.now()
    const { outcome, result } = await this.#outcome(tool, args, turn)
    this.#metrics?.called(this.entry.name, outcome, (performance.now() - since) / 1_000)
    turn.throwIfAborted()
    return result
  }

  async #outcome(
    tool: ListedTool,
    args: Readonly<Record<string, unknown>>,
    turn: AbortSignal,
  ): Promise<{ readonly outcome: CallOutcome; readonly result: ToolOutcome<unknown> }> {
    const { name, timeoutMs, maxResultBytes } = this.entry
    if (this.#circuit.isOpen) return this.#refusal('paused', 'does not answer at present')
    if (this.#calls >= this.#limits.concurrentCalls)
      return this.#refusal('busy', 'has too many calls in progress')
    const timeout = AbortSignal.timeout(timeoutMs)
    const limit = AbortSignal.any([turn, timeout])
    this.#calls += 1
    try {
      const result = await this.#use(limit, (connection) => connection.call(tool, args, limit))
      this.#answered()
      const content = this.#redact(outsideText(name, result, maxResultBytes))
      const isError = result.isError === true
      return { outcome: isError ? 'tool_error' : 'ok', result: { content, isError } }
    } catch (error) {
      if (turn.aborted) return this.#refusal('cancelled', 'was not waited for')
      return this.#failed(error, timeout.aborted)
    } finally {
      this.#calls -= 1
    }
  }

  #failed(error: unknown, late: boolean) {
    const { name, timeoutMs, maxResultBytes } = this.entry
    if (error instanceof ReplyTooLarge) {
      this.#answered()
      return this.#refusal('too_large', 'gave a result that is too large')
    }
    if (error instanceof ProtocolError) {
      this.#answered()
      const content = [{ type: 'text', text: error.message }]
      const text = outsideText(name, { content, isError: true }, maxResultBytes)
      return { outcome: 'refused' as const, result: { content: this.#redact(text), isError: true } }
    }
    this.#failures += 1
    if (this.#failures >= this.#limits.failures) this.#pause(error)
    else this.#log.warn({ server: name, reason: this.#reason(error) }, 'a call of an MCP server failed')
    if (late) return this.#refusal('timeout', `did not answer within ${timeoutMs / 1_000} seconds`)
    return this.#refusal('failed', 'cannot be reached or did not answer correctly')
  }

  #answered(): void {
    this.#failures = 0
    this.#circuit.succeeded()
  }

  #refusal(outcome: CallOutcome, what: string) {
    const message = `The outside server "${this.entry.name}" ${what}. Continue without it, or try another tool.`
    return { outcome, result: badArguments(message) }
  }

  #pause(error: unknown): void {
    // Calls that were in progress together are one failure.
    if (this.#circuit.isOpen) return
    this.#circuit.failed()
    this.#tools = []
    this.#listedAt = Number.NEGATIVE_INFINITY
    this.#connection = undefined
    const details = { server: this.entry.name, reason: this.#reason(error) }
    this.#log.warn(details, 'an MCP server does not answer: its tools are missing until it does')
  }

  /** Replies can be long, and can repeat the headers of the request. */
  #reason(error: unknown): string {
    const { cause } = error as { cause?: unknown }
    const reason = cause instanceof Error ? `${messageOf(error)}: ${cause.message}` : messageOf(error)
    return this.#redact(reason).slice(0, 300)
  }

  #warn(reason: string): void {
    if (this.#warned.has(reason) || this.#warned.size >= 200) return
    this.#warned.add(reason)
    this.#log.warn({ server: this.entry.name, reason }, 'a tool of an MCP server is not as expected')
  }

  /**
   * Works over the connection, which is opened at first use, and again after a failure that may mean that the server has
   * lost it. Calls of others may still use the old connection, so it is not closed.
   */
  async #use<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    const had = this.#connection
    try {
      return await this.#attempt(signal, work)
    } catch (error) {
      const known = this.entry.at.kind === 'http' && isOfSession(error)
      if (!known && !isClosed(error)) throw error
      if (this.#connection === had) this.#connection = undefined
      // The server refused the session, so it has not run the call.
      const isRefused = error instanceof SdkHttpError && refusesSession.has(error.status ?? 0)
      if (!had || !isRefused) throw error
      return this.#attempt(signal, work)
    }
  }

  async #attempt<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    this.#connection ??= this.#connect()
    return work(await abortable(this.#connection, signal))
  }

  /** Shared by all who wait for it, so it does not end with one of them. */
  #connect(): Promise<Connection> {
    const connecting = connect(this.entry, AbortSignal.timeout(this.entry.timeoutMs))
    connecting.catch(() => {
      if (this.#connection === connecting) this.#connection = undefined
    })
    return connecting
  }
}

/** Statuses with which servers answer a session that they no longer know. */
const refusesSession: ReadonlySet<number> = new Set([400, 404, 410])

/** Any HTTP failure, and the JSON-RPC errors of servers that do not speak of a tool: an invalid request, or one of their own. */
const isOfSession = (error: unknown): boolean =>
  error instanceof SdkHttpError ||
  (error instanceof ProtocolError &&
    (error.code === -32_600 || (error.code <= -32_000 && error.code > -32_100)))

const isClosed = (error: unknown): boolean =>
  error instanceof SdkError && error.code === SdkErrorCode.ConnectionClosed

/** Waits for work that others share, until `signal` is aborted. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
