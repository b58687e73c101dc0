import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

/**
 * Differences that are allowed: the client adds the text of a response by itself, and streams contain citations and
 * calls of custom tools too.
 */
const relaxed = `
type Response = Omit<OpenAI.Responses.Response, 'output_text'>
type OfEvent<E> = E extends { response: OpenAI.Responses.Response } ? Omit<E, 'response'> & { response: Response } : E
type Choice = OpenAI.Chat.ChatCompletionChunk.Choice
type Delta = Choice['delta'] & { annotations?: object[] }
type Chunk = Omit<OpenAI.Chat.ChatCompletionChunk, 'choices'> & { choices: (Omit<Choice, 'delta'> & { delta: Delta })[] }
`

/**
 * Replies of OpenAI's API as types of the installed `openai` package, which are generated from the API
 * description. Lists are classes in that package; here they have the members that the description
 * (`ListModelsResponse`, `ListFilesResponse`) requires.
 */
const official = {
  completion: 'OpenAI.Chat.ChatCompletion',
  chunk: 'Chunk',
  error: '{ error: OpenAI.ErrorObject }',
  model: 'OpenAI.Models.Model',
  modelList: "{ object: 'list'; data: OpenAI.Models.Model[] }",
  file: 'OpenAI.Files.FileObject',
  fileList:
    '{ object: string; data: OpenAI.Files.FileObject[]; first_id: string; last_id: string; has_more: boolean }',
  deletedFile: 'OpenAI.Files.FileDeleted',
  response: 'Response',
  responseEvent: 'OfEvent<OpenAI.Responses.ResponseStreamEvent>',
} as const

export type OfficialType = keyof typeof official
export type Claim = {
  readonly what: string
  readonly type: OfficialType
  readonly value: unknown
}

/**
 * Turns each claim into one line that compiles only if the value has the type. Additional members are
 * allowed.
 */
function programOf(claims: readonly Claim[]): string {
  return [
    `import type OpenAI from 'openai'${relaxed}`,
    'type Read<T> = T extends (infer I)[] ? readonly Read<I>[] : T extends object ? { readonly [K in keyof T]: Read<T[K]> } : T',
    ...claims.map(
      ({ type, value }, i) =>
        `const v${i} = ${JSON.stringify(value)} as const; const t${i}: Read<${official[type]}> = v${i}`,
    ),
  ].join('\n')
}

const settings = {
  compilerOptions: {
    target: 'es2024',
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  },
  files: ['claims.ts'],
}

const firstLine = programOf([]).split('\n').length + 1

/** @returns the compiler's errors, each with its claim. */
export async function misfits(claims: readonly Claim[]): Promise<readonly string[]> {
  // Inside the project, because the compiler resolves packages from there upwards.
  await mkdir('node_modules/.cache', { recursive: true })
  const folder = await mkdtemp('node_modules/.cache/official-types-')
  try {
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(settings))
    await writeFile(join(folder, 'claims.ts'), programOf(claims))
    return faultsIn(await compile(folder), claims)
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function compile(folder: string): Promise<string> {
  const run = promisify(execFile)(
    process.execPath,
    ['node_modules/typescript/bin/tsc', '--pretty', 'false', '-p', folder],
    {
      maxBuffer: 16 * 1024 * 1024,
    },
  )
  try {
    return (await run).stdout
  } catch (error) {
    // The compiler exits with an error when it reports something.
    const { stdout } = error as { readonly stdout?: string }
    if (!stdout) throw error
    return stdout
  }
}

function faultsIn(output: string, claims: readonly Claim[]): readonly string[] {
  return output
    .split(/\n(?=\S)/)
    .filter((fault) => fault.trim() !== '')
    .map((fault) => {
      const [, line] = /claims\.ts\((\d+),/.exec(fault) ?? []
      const claim = line === undefined ? undefined : claims[Number(line) - firstLine]
      return `${claim ? `${claim.what} as ${claim.type}: ` : ''}${fault.trim()}`
    })
}
