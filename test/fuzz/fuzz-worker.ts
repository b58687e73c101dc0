import { parentPort, workerData } from 'node:worker_threads'
import { type Random, seededRandom } from '../support/random.ts'
import { type Coverage, watchCoverage } from './coverage.ts'
import { mutate } from './mutate.ts'
import type { Target } from './target.ts'
import { openTarget } from './targets/targets.ts'

export type WorkerOptions = {
  readonly target: string
  readonly seed: number
  readonly forMs: number
  /** The input under test: its length, then its bytes. The parent reads it when the worker hangs. */
  readonly shared: SharedArrayBuffer
}

export type WorkerReport = {
  readonly inputs: number
  readonly corpus: number
  readonly covered: number
  readonly slowestMs: number
  readonly slowest: string
  readonly findings: readonly Finding[]
}

export type Finding = { readonly fault: string; readonly input: string }

/** Inputs per read of the counters; one read costs as much as some hundred small inputs. */
const batch = 200
const maxFindings = 20

/** Tries mutations of a corpus, and keeps those that reach new coverage. */
class Fuzzer {
  readonly #target: Target
  readonly #random: Random
  readonly #coverage: Coverage
  readonly #options: WorkerOptions
  readonly #corpus: Buffer[]
  readonly #findings = new Map<string, Finding>()
  #inputs = 0
  #slowestMs = 0
  #slowest = ''

  constructor(target: Target, coverage: Coverage, options: WorkerOptions) {
    this.#target = target
    this.#coverage = coverage
    this.#options = options
    this.#random = seededRandom(options.seed)
    this.#corpus = target.seeds.map((seed) => Buffer.from(seed as string))
  }

  async run(): Promise<void> {
    const until = Date.now() + this.#options.forMs
    for (const seed of this.#corpus) await this.#try(seed)
    this.#coverage.accept(await this.#coverage.look(false))
    while (Date.now() < until && this.#findings.size < maxFindings) {
      const inputs = Array.from({ length: batch }, () => this.#next())
      for (const input of inputs) await this.#try(input)
      const ground = await this.#coverage.look(false)
      if (ground.length > 0 || this.#random.chance(0.02)) await this.#keepWhatIsNew(inputs)
      this.#coverage.accept(ground)
      parentPort?.postMessage({ report: this.report() })
    }
  }

  report(): WorkerReport {
    return {
      inputs: this.#inputs,
      corpus: this.#corpus.length,
      covered: this.#coverage.seen,
      slowestMs: this.#slowestMs,
      slowest: this.#slowest,
      findings: [...this.#findings.values()],
    }
  }

  /** Prefers the inputs that were kept last, as the most promising ones. */
  #next(): Buffer {
    const { length } = this.#corpus
    const late = this.#random.chance(0.5) ? Math.max(0, length - 20) : 0
    const input = this.#corpus[this.#random.whole(late, length - 1)] ?? Buffer.alloc(0)
    const { dictionary, most } = this.#target
    return mutate(input, this.#random, { others: this.#corpus, dictionary, most })
  }

  /** Finds the inputs with new coverage by bisection, because reads of the counters are the largest cost. */
  async #keepWhatIsNew(inputs: readonly Buffer[]): Promise<void> {
    for (const input of inputs) await this.#try(input)
    const ground = await this.#coverage.look(true)
    if (ground.length === 0) return
    const [input] = inputs
    if (inputs.length === 1 && input) {
      this.#coverage.accept(ground)
      this.#corpus.push(input)
      return
    }
    const middle = Math.ceil(inputs.length / 2)
    await this.#keepWhatIsNew(inputs.slice(0, middle))
    await this.#keepWhatIsNew(inputs.slice(middle))
  }

  async #try(input: Buffer): Promise<void> {
    const view = Buffer.from(this.#options.shared)
    view.writeUInt32LE(input.length, 0)
    input.copy(view, 4)
    const began = performance.now()
    try {
      await this.#target.check(input)
    } catch (error) {
      const fault = error instanceof Error ? (error.stack ?? error.message) : String(error)
      // One finding per source line; the message may contain the input and differ each time.
      const place = fault.split('\n').find((line) => line.includes('/src/')) ?? fault.slice(0, 60)
      if (!this.#findings.has(place)) this.#findings.set(place, { fault, input: input.toString('base64') })
    }
    this.#inputs += 1
    const tookMs = performance.now() - began
    if (tookMs <= this.#slowestMs) return
    this.#slowestMs = tookMs
    this.#slowest = input.toString('base64')
  }
}

const options = workerData as WorkerOptions
const target = await openTarget(options.target)
const coverage = await watchCoverage(target.covers)
const fuzzer = new Fuzzer(target, coverage, options)
await fuzzer.run()
await coverage.close()
await target.close?.()
parentPort?.postMessage({ report: fuzzer.report(), done: true })
