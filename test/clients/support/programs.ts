import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { book, citedAnswer, questions } from './questions.ts'
import type { ClientWorld, OwnPlace, Run } from './world.ts'

/** A client that is a program of its own, not a package of JavaScript. */
export type Program = {
  readonly file: string
  readonly args: readonly string[]
  /** Files of its working folder, by name, with their contents. */
  readonly files?: Readonly<Record<string, string>>
  /** Further variables. `{folder}` stands for its working folder. */
  readonly env?: Readonly<Record<string, string>>
}

/** Maximum time of a program, in milliseconds. */
const timeout = 80_000

/**
 * Runs a program in a new folder, which is also its home, with `BASE_URL` and `API_KEY`.
 * @returns its standard output.
 * @throws with its output when it ends with an error.
 */
export async function runProgram(place: OwnPlace, program: Program): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'client-'))
  try {
    for (const [name, content] of Object.entries(program.files ?? {}))
      await writeFile(path.join(folder, name), content)
    const own = Object.entries(program.env ?? {}).map(([name, value]) => [
      name,
      value.replace('{folder}', folder),
    ])
    const running = promisify(execFile)(program.file, [...program.args], {
      cwd: folder,
      timeout,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        BASE_URL: place.baseUrl,
        API_KEY: place.key,
        ...Object.fromEntries(own),
      },
    })
    // Some programs wait for more of the question until their input ends.
    running.child.stdin?.end()
    return (await running).stdout
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Asks the question with a citation, and expects its answer with its source in the output and whole runs. */
export async function expectCitedAnswer(
  world: ClientWorld,
  program: (place: OwnPlace, question: string) => Program,
): Promise<readonly Run[]> {
  const place = await world.place()
  const output = await runProgram(place, program(place, questions.cited))
  expect(output).toContain(citedAnswer.text)
  expect(output).toContain(book.ref)
  const runs = await place.runs()
  expect(runs.map(({ status }) => status)).toEqual(runs.map(() => 'completed'))
  return runs
}

/** Runs a program that asks the question whole and streamed, and prints both answers as JSON. @returns what it printed. */
export async function expectBothAnswers(
  world: ClientWorld,
  file: string,
  args: readonly string[],
): Promise<{ readonly tokens?: number }> {
  const place = await world.place()
  const output = await runProgram(place, { file, args: [...args, questions.cited] })
  const { whole, streamed, ...more } = JSON.parse(output) as Readonly<Record<string, unknown>>
  expect(whole).toContain(citedAnswer.text)
  expect(streamed).toBe(whole)
  expect((await place.runs()).map(({ status }) => status)).toEqual(['completed', 'completed'])
  return more
}
