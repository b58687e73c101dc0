import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { closedLoop } from './load.ts'
import { requireGood } from './rates.ts'
import { type Figure, print } from './report.ts'
import { oneCall, oneTool } from './script.ts'
import { openWorld } from './world.ts'

type Node = {
  readonly id: number
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  readonly children?: readonly number[]
}
type Profile = {
  readonly nodes: readonly Node[]
  readonly samples: readonly number[]
  /** Microseconds of the monotonic clock, also those between the samples. */
  readonly startTime: number
  readonly timeDeltas: readonly number[]
}

/** Microseconds per node of the profile, without those of its children. */
type SelfTimes = ReadonlyMap<number, number>

/** Where a turn's time goes: a CPU profile of the warm service under load, by package and by function. */
export async function profileTurns(
  _: unknown,
  { seconds }: { readonly seconds: number },
): Promise<readonly Figure[]> {
  for (const [name, script] of Object.entries({ 'one call': oneCall, 'one tool': oneTool })) {
    const directory = await mkdtemp(path.join(tmpdir(), 'turn-profile-'))
    const world = await openWorld({ nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${directory}`] })
    const drive = async (length: number) =>
      requireGood(await closedLoop({ target: world.service.target, script }, 16, length)).done
    let [turns, since] = [0, 0]
    try {
      await drive(3)
      since = Number(process.hrtime.bigint() / 1000n)
      turns = await drive(Math.max(seconds, 3))
    } finally {
      await world.close()
    }
    const [file] = await readdir(directory)
    if (file === undefined) throw new Error('the service left no profile')
    const profile = JSON.parse(await readFile(path.join(directory, file), 'utf8')) as Profile
    await rm(directory, { recursive: true })
    print(`  ${name}: ${turns} turns`)
    printProfile(await withPlaces(profile), selfTimes(profile, since), turns)
  }
  return []
}

/** @param since an instant of the monotonic clock in microseconds: earlier samples do not count. */
function selfTimes({ startTime, samples, timeDeltas }: Profile, since: number): SelfTimes {
  const self = new Map<number, number>()
  let at = startTime
  for (const [i, id] of samples.entries()) {
    const micros = timeDeltas[i] ?? 0
    at += micros
    if (at > since) self.set(id, (self.get(id) ?? 0) + micros)
  }
  return self
}

function printProfile(nodes: readonly Node[], self: SelfTimes, turns: number): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parts = new Map<string, number>()
  const functions = new Map<string, number>()
  for (const [id, micros] of self) {
    const frame = byId.get(id)?.callFrame
    if (!frame || /^\((idle|program|root)\)$/.test(frame.functionName)) continue
    const part = partOf(frame.url) || frame.functionName
    parts.set(part, (parts.get(part) ?? 0) + micros)
    const at = `${frame.functionName || '(anonymous)'} ${part}:${path.basename(frame.url)}:${frame.lineNumber + 1}`
    functions.set(at, (functions.get(at) ?? 0) + micros)
  }
  const inclusive = inclusiveTimes(nodes, self)
  const top = (of: Map<string, number>, most: number) =>
    [...of].toSorted(([, a], [, b]) => b - a).slice(0, most)
  for (const [part, micros] of top(parts, 16))
    print(`    ${(micros / turns).toFixed(0).padStart(6)} µs  ${part}`)
  print('    ---- with what they call')
  for (const [at, micros] of top(inclusive, 40))
    print(`    ${(micros / turns).toFixed(0).padStart(6)} µs  ${at}`)
  print('    ---- by themselves')
  for (const [at, micros] of top(functions, 45))
    print(`    ${(micros / turns).toFixed(0).padStart(6)} µs  ${at}`)
}

/** Time of each function with all that it calls, once for each stack. */
function inclusiveTimes(nodes: readonly Node[], self: SelfTimes): Map<string, number> {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const totals = new Map<string, number>()
  const walk = (node: Node, above: ReadonlySet<string>): number => {
    const at = placeOf(node)
    const isOuter = at !== '' && !above.has(at)
    const inner = isOuter ? new Set([...above, at]) : above
    const children = (node.children ?? []).flatMap((id) => byId.get(id) ?? [])
    const micros = children.reduce((sum, child) => sum + walk(child, inner), self.get(node.id) ?? 0)
    if (isOuter) totals.set(at, (totals.get(at) ?? 0) + micros)
    return micros
  }
  if (nodes[0]) walk(nodes[0], new Set())
  return totals
}

/** The nodes with the source files of functions in the bundle, which has a comment before each file's code. */
async function withPlaces({ nodes }: Profile): Promise<readonly Node[]> {
  const urls = new Set(nodes.map(({ callFrame }) => callFrame.url))
  const chunks = [...urls].filter((url) => /^file:.*\/dist\/[^/]+\.js$/.test(url))
  const texts = await Promise.all(chunks.map((url) => readFile(new URL(url), 'utf8')))
  const files = new Map(chunks.map((url, i) => [url, filesOf(texts[i] ?? '')]))
  return nodes.map((node) => {
    const { url, lineNumber } = node.callFrame
    const file = files.get(url)?.[lineNumber]
    return file === undefined ? node : { ...node, callFrame: { ...node.callFrame, url: file } }
  })
}

/** The source file of each line of a bundled file. */
function filesOf(text: string): readonly string[] {
  let file = ''
  return text.split('\n').map((line) => {
    file = /^\/\/ ((?:src|node_modules)\/\S+)$/.exec(line)?.[1] ?? file
    return file && `/${file}`
  })
}

/** Function, file and line; empty for Node's own. */
function placeOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  const file = /\/src\/(.+)/.exec(url)?.[1] ?? /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  return file === undefined ? '' : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`
}

/** A package, a folder of the service, or a part of Node. */
function partOf(url: string): string {
  const module = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  if (module) return module
  const own = /\/src\/([^/]+)/.exec(url)?.[1]
  if (own) return `src/${own}`
  return url.startsWith('node:') ? 'node' : ''
}
