import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
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
  readonly timeDeltas: readonly number[]
}

/** Where a turn's time goes: a CPU profile of the service under load, by package and by function. */
export async function profileTurns(
  _: unknown,
  { seconds }: { readonly seconds: number },
): Promise<readonly Figure[]> {
  for (const [name, script] of Object.entries({ 'one call': oneCall, 'one tool': oneTool })) {
    const directory = await mkdtemp(path.join(tmpdir(), 'turn-profile-'))
    const world = await openWorld({ nodeArgs: ['--cpu-prof', `--cpu-prof-dir=${directory}`] })
    let turns = 0
    try {
      turns = requireGood(
        await closedLoop({ target: world.service.target, script }, 16, Math.max(seconds, 3)),
      ).done
    } finally {
      await world.close()
    }
    const [file] = await readdir(directory)
    if (file === undefined) throw new Error('the service left no profile')
    const profile = JSON.parse(await readFile(path.join(directory, file), 'utf8')) as Profile
    await rm(directory, { recursive: true })
    print(`  ${name}: ${turns} turns`)
    printProfile(profile, turns)
  }
  return []
}

function printProfile({ nodes, samples, timeDeltas }: Profile, turns: number): void {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const self = new Map<number, number>()
  for (const [i, id] of samples.entries()) self.set(id, (self.get(id) ?? 0) + (timeDeltas[i] ?? 0))
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
function inclusiveTimes(nodes: readonly Node[], self: ReadonlyMap<number, number>): Map<string, number> {
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
