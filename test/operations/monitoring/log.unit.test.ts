import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import process from 'node:process'
import { expect, test } from 'vitest'

const log = path.resolve('src/log.ts')

/** What a process writes that runs `script` with a logger, up to its end or to its first output when `kill` is set. */
async function written(script: string, kill = false): Promise<readonly Record<string, unknown>[]> {
  const code = `const { createLogger } = await import(${JSON.stringify(log)}); const log = createLogger('info'); ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (part: Buffer) => {
    text += part.toString()
    if (kill) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

test('a warning is written at once with all lines before it', async () => {
  const lines = await written(`log.info('one'); log.warn('two'); process.kill(process.pid, 'SIGKILL')`)
  expect(lines.map(({ msg }) => msg)).toEqual(['one', 'two'])
})

test('a line that waits is written without a next one, and when the process ends', async () => {
  const later = await written(`log.info('one'); setInterval(() => undefined, 1_000)`, true)
  expect(later.map(({ msg }) => msg)).toEqual(['one'])
  const ended = await written(`log.info('one'); log.info('two'); process.exit(3)`)
  expect(ended.map(({ msg }) => msg)).toEqual(['one', 'two'])
})

test('nobody reads the log any more: the process goes on', async () => {
  const code = `const { createLogger } = await import(${JSON.stringify(log)}); const log = createLogger('info');
    process.on('message', () => { log.warn('to nobody'); log.info('to nobody'); setTimeout(() => process.exit(7), 300) })
    log.info('ready')`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const { stdout } = child
  if (!stdout) throw new Error('the child has no pipe')
  await once(stdout, 'data')
  stdout.destroy()
  await once(stdout, 'close')
  child.send('go')
  expect(await once(child, 'close')).toEqual([7, null])
})

test('what looks like a secret is not written, at two depths', async () => {
  const [line] = await written(
    `log.info({ password: 'p', headers: { 'x-api-key': 'k', 'api-key': 'k' }, a: { apiKey: 'k', b: { secret: 's' } } }, 'x')`,
  )
  expect(line).toMatchObject({
    password: '[redacted]',
    headers: { 'x-api-key': '[redacted]', 'api-key': '[redacted]' },
    a: { apiKey: '[redacted]', b: { secret: '[redacted]' } },
  })
})
