import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { close, listen } from './loopback.ts'

const env = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/opt/homebrew/bin' }

/** Whether this machine has nginx. */
export const hasNginx = spawnSync('nginx', ['-v'], { env }).status === 0

export type Nginx = { readonly url: string; accessLog(): Promise<string>; close(): Promise<void> }

/**
 * Starts nginx as a round-robin reverse proxy for the given servers, with nginx's default settings and those
 * of `extra`.
 */
export function startNginx(servers: readonly string[], extra = ''): Promise<Nginx> {
  return startWith(
    (port) => `
  upstream replicas { ${serversOf(servers)} }
  server {
    listen 127.0.0.1:${port};
    location / { proxy_pass http://replicas; ${extra} }
  }`,
  )
}

/**
 * Starts nginx with the server block of the project's documentation, for the given servers. Only addresses
 * differ from the file; the header `x-test-address` sets the client's address, so that one test can act as
 * many clients.
 */
export async function startPrintedNginx(servers: readonly string[]): Promise<Nginx> {
  const printed = await readFile('ops/nginx.conf', 'utf8')
  return startWith((port) => {
    const replaced = printed
      .replace(/server 127\.0\.0\.1:3000([^;]*);/, (_, options: string) => serversOf(servers, options))
      .replace(/listen 80;/, () => `listen 127.0.0.1:${port}; ${fromTestAddress}`)
    if (replaced.includes(':3000') || !replaced.includes(`:${port}`))
      throw new Error('ops/nginx.conf changed')
    return replaced
  })
}

const fromTestAddress = 'set_real_ip_from 127.0.0.1; real_ip_header x-test-address;'

const serversOf = (urls: readonly string[], options = '') =>
  urls.map((url) => `server ${new URL(url).host}${options};`).join(' ')

async function startWith(serverBlock: (port: number) => string): Promise<Nginx> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chat-service-nginx-'))
  const port = await freePort()
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
  const config = `
daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events {}
http {
  access_log ${folder}/access.log;
  ${temporary.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')}
  ${serverBlock(port)}
}
`
  await writeFile(path.join(folder, 'nginx.conf'), config)
  const child = spawn('nginx', ['-p', folder, '-e', path.join(folder, 'error.log'), '-c', 'nginx.conf'], {
    env,
  })
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  const ended = once(child, 'close')
  void ended.then(() => rm(folder, { recursive: true, force: true }))
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (child.exitCode !== null || tries === 100) throw new Error(`nginx did not start: ${output}`)
    await delay(50)
  }
  return {
    url: `http://127.0.0.1:${port}`,
    accessLog: () => readFile(path.join(folder, 'access.log'), 'utf8'),
    async close() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A port that nothing uses now. */
export async function freePort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  await close(server)
  return port
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}
