/**
 * `npm run check`: the scripts `check:…` of package.json, two at a time, because the longest use one processor for most
 * of their time.
 */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import process from 'node:process'
import pLimit from 'p-limit'

/** Runs a script. @returns whether it passed; it prints its output if not. */
function passes(script: string): Promise<boolean> {
  const begun = performance.now()
  return new Promise((resolve) => {
    execFile(process.execPath, ['--run', script], { maxBuffer: 2 ** 30 }, (error, stdout, stderr) => {
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1)
      process.stdout.write(`${error ? 'failed' : 'passed'}  ${seconds.padStart(5)} s  ${script}\n`)
      if (error) process.stdout.write(`${stdout}${stderr || error.message}\n`)
      resolve(!error)
    })
  })
}

const { scripts } = JSON.parse(await readFile('package.json', 'utf8')) as { scripts: object }
const twoAtOnce = pLimit(2)
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'))
const passed = await Promise.all(checks.map((name) => twoAtOnce(() => passes(name))))
if (passed.includes(false)) process.exitCode = 1
