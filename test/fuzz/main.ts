import process from 'node:process'
import { openWorld } from '../support/world/world.ts'
import { help, type Options, readOptions } from './options.ts'
import { fuzzParser, type ParserOutcome } from './parsers.ts'
import { fuzzRequests } from './requests.ts'
import { fillRequestsWorld, requestsOptions } from './requests-things.ts'
import { watchStalls } from './stalls/main.ts'
import { targetNames } from './targets/targets.ts'

const print = (line: string): void => void process.stdout.write(`${line}\n`)

async function fuzzParsers({ seed, minutes, only }: Options): Promise<boolean> {
  let clean = true
  for (const target of targetNames.filter((name) => only === undefined || name === only)) {
    const outcome = await fuzzParser(target, seed, minutes)
    tell(outcome)
    clean &&= outcome.findings.length === 0 && outcome.hung === undefined
  }
  return clean
}

function tell({ target, inputs, corpus, covered, slowestMs, slowest, findings, hung }: ParserOutcome): void {
  print(
    `${target.padEnd(16)}${inputs} inputs, ${covered} blocks, ${corpus} kept, slowest ${slowestMs.toFixed(0)} ms, ${findings.length} findings`,
  )
  if (slowestMs > 500) print(`  slowest input (base64): ${slowest.slice(0, 4_000)}`)
  if (hung !== undefined) print(`  HANGS on (base64): ${hung}`)
  for (const { fault, input } of findings) print(`  FINDING ${fault}\n  input (base64): ${input}`)
}

async function fuzzApi({ seed, requests, only }: Options): Promise<boolean> {
  const world = await openWorld({ postgres: 'private', ...requestsOptions() })
  try {
    const progress = (done: number) => print(`  ${done} sent`)
    const { sent, busy, byStatus, slowestMs, slowest, findings } = await fuzzRequests({
      ...(await fillRequestsWorld(world)),
      requests,
      seed,
      only,
      progress,
    })
    print(
      `${sent} requests, ${busy} of them told to wait, slowest ${slowestMs.toFixed(0)} ms (${slowest}), ${findings.length} findings`,
    )
    for (const [status, count] of [...byStatus].sort(([a], [b]) => a - b)) print(`  ${status}  ${count}`)
    for (const finding of findings) print(`FINDING ${finding}`)
    return findings.length === 0
  } finally {
    await world.close()
  }
}

const options = readOptions(process.argv.slice(2))
if (options) {
  print(`seed ${options.seed}`)
  const clean = await (options.stalls ? watchStalls : options.parsers ? fuzzParsers : fuzzApi)(options)
  process.exitCode = clean ? 0 : 1
} else print(help)
