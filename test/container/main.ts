import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { startPrivatePostgres } from '../support/private-postgres.ts'
import { buildImage, type Image } from './dockerfile.ts'

/**
 * What the image does, tried without Docker: the Dockerfile's steps run in an empty folder, and the service runs from
 * it as an ordinary user, with no capability, on a root file system that is read-only but for /tmp. Run it as root
 * (the mounts need it): `sudo npm run container`.
 */
async function main(): Promise<void> {
  if (userInfo().uid !== 0) throw new Error('making the file system read-only needs root')
  const scratch = await mkdtemp(path.join(tmpdir(), 'chat-service-image-'))
  await chmod(scratch, 0o755)
  const postgres = await startPrivatePostgres()
  try {
    const image = await buildImage(process.cwd(), scratch)
    say(`the image adds ${megabytesOf(image.root)} MB to its base; it runs as ${image.user}`)
    if (image.user === 'root') throw new Error('the image runs as root')
    await tryImage(image, {
      ...image.env,
      ...{ DATABASE_URL: postgres.url, KEY_PEPPER: 'a pepper for this trial only', HOST: '127.0.0.1' },
      ...{ PORT: '3917', METRICS_TOKEN: 'a token for this trial' },
    })
  } finally {
    await postgres.close()
    await rm(scratch, { recursive: true, force: true })
  }
  say('all of it works')
}

const say = (text: string) => process.stdout.write(`${text}\n`)

function megabytesOf(folder: string): number {
  return Number(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).split('\t')[0])
}

type Environment = Readonly<Record<string, string>>

async function tryImage(image: Image, env: Environment): Promise<void> {
  const writing = confined(image, ['sh', '-c', 'touch ./probe'], env)
  if ((await writing.ended) === 0) throw new Error('the root file system can be written to')
  await canSetPdfs(image, env)
  const service = confined(image, image.command, env)
  try {
    const health = () => confined(image, image.healthCommand, env).ended
    for (let tries = 1; (await health()) !== 0; tries += 1) {
      if (tries === 30) throw new Error(`the health check fails: ${service.output()}`)
      await delay(500)
    }
    say('the health check passes')
    await ask(image, env)
  } finally {
    service.signal()
  }
  const code = await service.ended
  if (code !== 0) throw new Error(`it ended with ${code}: ${service.output()}`)
  say('it ends with 0 when told to stop')
}

/** Typst is machine code for each platform: an optional package that a careless step leaves out. */
async function canSetPdfs(image: Image, env: Environment): Promise<void> {
  const script = `const { NodeCompiler } = await import('@myriaddreamin/typst-ts-node-compiler')
    process.stdout.write(NodeCompiler.create().pdf({ mainFileContent: 'Text' }).subarray(0, 5))`
  const typst = confined(image, ['node', '--input-type=module', '--eval', script], env)
  if ((await typst.ended) !== 0 || !typst.output().includes('%PDF-')) throw new Error(typst.output())
  say('a PDF can be set')
}

async function ask(image: Image, env: Environment): Promise<void> {
  const email = 'person@example.org'
  const command = async (...args: readonly string[]) => {
    const cli = confined(image, ['node', 'dist/cli.js', ...args, '--json'], env)
    if ((await cli.ended) !== 0) throw new Error(`${args.join(' ')}: ${cli.output()}`)
    return JSON.parse(cli.output())
  }
  await command(
    'accounts',
    'create',
    '--email',
    email,
    '--plan',
    'pro',
    '--password',
    'correct horse battery',
  )
  const { key } = await command('keys', 'create', '--account', email, '--owner-wide')
  const response = await fetch(`http://127.0.0.1:${env['PORT']}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'service', messages: [{ role: 'user', content: 'What is a beinoni?' }] }),
  })
  const text = await response.text()
  if (response.status !== 200 || !text.includes('"content":"')) throw new Error(`no answer: ${text}`)
  say('a question is answered')
}

/** Any number that is no user's. */
const uid = '54321'

/** As `read_only`, `tmpfs: /tmp`, `cap_drop: ALL`, `no-new-privileges` and `USER` do it. */
const confine = `
  mount --make-rprivate / && mount -t tmpfs tmpfs /run && mkdir /run/image /run/runtime &&
  mount --bind "$1" /run/image && mount --bind "$3" /run/runtime && mount -t tmpfs tmpfs /tmp && mount -o remount,ro,bind / &&
  mount -o remount,ro,bind /run/image && mount -o remount,ro,bind /run/runtime && cd "/run/image$2" && shift 3 &&
  exec setpriv --reuid ${uid} --regid ${uid} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"`

function confined(image: Image, command: readonly string[], env: Environment) {
  // The base image would bring the runtime.
  const places = [image.root, image.workdir, path.dirname(process.execPath)]
  const child = spawn('unshare', ['--mount', 'sh', '-c', confine, 'sh', ...places, ...command], {
    env: { PATH: '/run/runtime:/usr/bin:/bin', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  return {
    ended: once(child, 'close').then(([code]) => code as number | null),
    output: () => output,
    signal: () => void child.kill('SIGTERM'),
  }
}

await main()
