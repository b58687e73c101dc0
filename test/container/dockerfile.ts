import { spawnSync } from 'node:child_process'
import { cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** What a Dockerfile makes: a folder that stands for the image's root, and how to start in it. */
export type Image = {
  readonly root: string
  readonly workdir: string
  readonly env: Readonly<Record<string, string>>
  readonly user: string
  readonly command: readonly string[]
  readonly healthCommand: readonly string[]
}

type Stage = {
  root: string
  workdir: string
  env: Record<string, string>
  user: string
  command: readonly string[]
  healthCommand: readonly string[]
}

/**
 * Runs the steps of a Dockerfile without Docker: each stage is a folder, `COPY` copies what `.dockerignore` lets
 * through, `RUN` runs in the stage's working directory as the caller. Knows the instructions that ours has, and stops
 * at any other.
 */
export async function buildImage(context: string, scratch: string): Promise<Image> {
  const text = await readFile(path.join(context, 'Dockerfile'), 'utf8')
  const allowed = await allowedPaths(context)
  const stages = new Map<string, Stage>()
  let stage: Stage | undefined
  for (const line of instructions(text)) {
    const [, name = '', rest = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
    if (name === 'FROM') {
      const alias = /\sAS\s+(\S+)$/i.exec(rest)?.[1] ?? 'final'
      stage = await newStage(path.join(scratch, alias))
      stages.set(alias, stage)
    } else if (stage) await step(stage, name, rest, { context, allowed, stages })
  }
  if (!stage) throw new Error('the Dockerfile has no stage')
  return stage
}

async function newStage(root: string): Promise<Stage> {
  await mkdir(root, { recursive: true })
  return { root, workdir: '/', env: {}, user: 'root', command: [], healthCommand: [] }
}

/** Lines without comments, those joined that end with a backslash. */
function instructions(text: string): readonly string[] {
  return text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

type Building = {
  readonly context: string
  readonly allowed: ReadonlySet<string>
  readonly stages: ReadonlyMap<string, Stage>
}

async function step(stage: Stage, name: string, rest: string, building: Building): Promise<void> {
  switch (name) {
    case 'WORKDIR':
      stage.workdir = rest
      await mkdir(path.join(stage.root, rest), { recursive: true })
      return
    case 'ENV':
      for (const [, key = '', value = ''] of rest.matchAll(/(\w+)=(\S+)/g)) stage.env[key] = value
      return
    case 'COPY':
      return copy(stage, rest, building)
    case 'RUN':
      return run(stage, rest)
    case 'USER':
      stage.user = rest
      return
    case 'CMD':
      stage.command = JSON.parse(rest)
      return
    case 'HEALTHCHECK':
      stage.healthCommand = JSON.parse(rest.slice(rest.indexOf('CMD') + 3))
      return
    // Arguments keep their empty defaults, which the shell has for a variable that is not set.
    case 'ARG':
      if (!rest.endsWith('=')) throw new Error(`ARG ${rest} has a default, which no step would see here`)
      return
    case 'EXPOSE':
      return
    default:
      throw new Error(`no way to run ${name} without Docker`)
  }
}

async function copy(stage: Stage, rest: string, { context, allowed, stages }: Building): Promise<void> {
  const [, from, files = ''] = /^(?:--from=(\S+)\s+)?(.*)$/.exec(rest) ?? []
  const paths = files.split(/\s+/)
  const target = paths.pop() ?? ''
  for (const file of paths) {
    const root = from === undefined ? context : (stages.get(from)?.root ?? '')
    if (from === undefined && !allowed.has(file)) throw new Error(`.dockerignore keeps ${file} out`)
    const into = path.join(stage.root, path.resolve(stage.workdir, target))
    const isFolder = target.endsWith('/')
    await cp(path.join(root, file), isFolder ? path.join(into, file) : into, { recursive: true })
  }
}

function run(stage: Stage, command: string): void {
  const cwd = path.join(stage.root, stage.workdir)
  const { status } = spawnSync('sh', ['-c', command], { cwd, stdio: ['ignore', 'inherit', 'inherit'] })
  if (status !== 0) throw new Error(`${command}: ${status}`)
}

/** Ours keeps everything out and then names what comes in. */
async function allowedPaths(context: string): Promise<ReadonlySet<string>> {
  const lines = (await readFile(path.join(context, '.dockerignore'), 'utf8')).trim().split('\n')
  if (lines[0] !== '*' || !lines.slice(1).every((line) => line.startsWith('!'))) {
    throw new Error('.dockerignore is not a list of what comes in any more')
  }
  return new Set(lines.slice(1).map((line) => line.slice(1)))
}
