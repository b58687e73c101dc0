import { countStatements } from '../../support/statement-count.ts'
import { exchange } from './exchange.ts'
import { type Figure, print } from './report.ts'
import { oneCall, oneTool, type TurnScript } from './script.ts'
import type { World } from './world.ts'

const turns = 100

/** Statements and commits around a turn, counted by Postgres. */
export async function measureStatements(world: World): Promise<readonly Figure[]> {
  const [call, tool] = [await countTurns(world, oneCall), await countTurns(world, oneTool)]
  const long = await countTurns(world, { ...oneCall, chunks: 256 })
  for (const { text, calls } of call.texts) print(`    ${(calls / turns).toFixed(2).padStart(6)}  ${text}`)
  print(
    `  a turn: ${call.statements.toFixed(2)} statements, ${call.commits.toFixed(2)} commits; with a tool ${tool.statements.toFixed(2)} and ${tool.commits.toFixed(2)}; with 256 chunks in place of 64 ${long.statements.toFixed(2)} and ${long.commits.toFixed(2)}; signals ${call.signals.toFixed(2)}`,
  )
  return [
    { name: 'statements around a one-call turn', value: call.statements, unit: '', goal: 2, gate: 4 },
    { name: 'commits around a one-call turn', value: call.commits, unit: '', goal: 2, gate: 3 },
  ]
}

async function countTurns({ admin, service }: World, script: TurnScript) {
  const counting = countStatements(admin)
  await exchange(service.target, script, { streamed: true })
  await counting.reset()
  for (let i = 0; i < turns; i += 1) await exchange(service.target, script, { streamed: true })
  const { statements, commits, signals, texts } = await counting.read()
  return {
    statements: statements / turns,
    commits: commits / turns,
    signals: signals / turns,
    texts,
  }
}
