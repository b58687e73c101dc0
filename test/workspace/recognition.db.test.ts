import { existsSync } from 'node:fs'
import { chmod, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { openRecognition, type Recognition } from '../../src/workspace/recognition.ts'
import { useDatabase } from '../support/database.ts'
import { makePdf } from '../support/documents.ts'
import { useFolder } from '../support/folder.ts'
import { rows } from '../support/full.ts'
import { openWorkspace, type TestWorkspace } from '../support/workspace.ts'

const folder = useFolder()

const db = useDatabase()
beforeAll(async () => {
  await writeFile(path.join(folder, 'text.pdf'), makePdf([['A lamp that was recognised']]))
})

const scan = { name: 'scan.pdf', content: makePdf([[]]), type: 'application/pdf' }
let scripts = 0

/** A command whose last two arguments are the paths of the scan and of the new PDF. Each run adds a line to `runs`. */
async function command(lines: string): Promise<string> {
  scripts += 1
  const file = path.join(folder, `ocr-${scripts}`)
  await writeFile(file, `#!/bin/sh\necho run >> '${file}.runs'\n${lines}\n`)
  await chmod(file, 0o755)
  return file
}

const copying = () => command(`[ "$1" = --jobs ] && [ "$2" = 1 ] && cp '${folder}/text.pdf' "$4"`)

const log = { warn: vi.fn() }

async function open(
  file: string,
  limits: Parameters<typeof openRecognition>[2] = {},
): Promise<{ home: TestWorkspace; recognition: Recognition }> {
  const { ocr } = readConfig({ OCR_COMMAND: `${file} --jobs 1`, PATH: '/usr/bin:/bin' })
  if (!ocr) throw new Error('no command')
  const recognition = openRecognition(ocr, log, limits)
  onTestFinished(() => recognition.close())
  return { home: await openWorkspace(db.database, {}, recognition), recognition }
}

const runsOf = async (file: string) => (await readFile(`${file}.runs`, 'utf8')).split('\n').length - 1
const reads = (home: TestWorkspace) => home.call('read_file', { name: scan.name })
const leftFolders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith('ocr-'))

test('a scan has the text that the command recognises, once, and says that it can have mistakes', async () => {
  const file = await copying()
  const { home } = await open(file)
  await home.upload(scan)
  const [read, same] = await Promise.all([reads(home), reads(home)])
  for (const { isError, content } of [read, same, await reads(home)]) {
    expect(isError).toBe(false)
    expect(JSON.stringify(content)).toContain('A lamp that was recognised')
    expect(JSON.stringify(content)).toContain(
      'recognised from pictures of its pages (OCR), and can have mistakes',
    )
  }
  expect(await runsOf(file)).toBe(1)
  expect(await leftFolders()).toEqual([])
})

test('a scan that was read before the command was set is recognised', async () => {
  const { home } = await open(await copying())
  await home.upload(scan)
  const before = await openWorkspace(db.database, {}, undefined, home.place)
  expect(JSON.stringify((await reads(before)).content)).toContain('no text layer')
  expect((await reads(home)).isError).toBe(false)
})

test('a document with text is not given to the command', async () => {
  const file = await copying()
  const { home } = await open(file)
  await home.upload({ ...scan, content: makePdf([['Its own text']]) })
  expect((await reads(home)).isError).toBe(false)
  expect(existsSync(`${file}.runs`)).toBe(false)
})

test('the command has neither our environment nor a shell around it', async () => {
  vi.stubEnv('MODEL_API_KEY', 'a secret of the service')
  onTestFinished(() => void vi.unstubAllEnvs())
  const file = await command(`env > '${folder}/env'; cp '${folder}/text.pdf' "$4"`)
  const { home } = await open(file)
  await home.upload({ ...scan, name: scan.name })
  await reads(home)
  const seen = (await readFile(path.join(folder, 'env'), 'utf8'))
    .split('\n')
    .map((line) => line.split('=')[0])
  expect(seen).not.toContain('MODEL_API_KEY')
  expect(seen.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_', ''].includes(name ?? '')).sort()).toEqual([
    'HOME',
    'LANG',
    'PATH',
    'TMPDIR',
  ])
})

const sleepers = `sleep 600 & echo $! > '$FOLDER/sleeper'; wait`
const memory = `exec '${process.execPath}' -e "const all = []; for (;;) all.push(Buffer.alloc(1e7, 1)); "`

type Failing = readonly [how: string, lines: string, limits: Parameters<typeof open>[1], reason: string]
const failing = rows<Failing>(
  [
    ['fails', 'echo broken scan >&2; exit 3', {}, 'it ended with 3: broken scan'],
    ['takes too long', sleepers, { maxMs: 1_000 }, 'it took more than 1 s'],
    ['takes too much memory', memory, { memoryBytes: 300e6 }, 'it used too much memory'],
    [
      'fills the disk',
      'while :; do head -c 100000 /dev/zero >> "$TMPDIR/x"; done',
      { folderBytes: 2e6 },
      'it wrote too much',
    ],
  ],
  [
    ['writes nothing', 'exit 0', {}, 'it wrote no document'],
    ['makes a document without text', 'cp "$3" "$4"', {}, 'its document has no text'],
    [
      'writes a document that is too large',
      'head -c 100000 /dev/zero > "$4"',
      { outputBytes: 90_000 },
      'it wrote a document of 100000 bytes',
    ],
  ],
)

test.each(failing)(
  'a command that %s is no more than an unread file, and is not run again',
  async (_, lines, limits, reason) => {
    log.warn.mockClear()
    const file = await command(lines.replace('$FOLDER', folder))
    const { home } = await open(file, limits)
    await home.upload(scan)
    for (const { isError, content } of [await reads(home), await reads(home)]) {
      expect(isError).toBe(true)
      expect(content['problem']).toBe(
        'It has no text layer, and the recognition of its characters (OCR) failed.',
      )
    }
    expect(await runsOf(file)).toBe(1)
    expect(log.warn).toHaveBeenCalledWith(expect.objectContaining({ reason }), 'OCR_COMMAND failed')
    expect(await leftFolders()).toEqual([])
    if (lines === sleepers) {
      const pid = Number(await readFile(path.join(folder, 'sleeper'), 'utf8'))
      await expect.poll(() => isRunning(pid)).toBe(false)
    }
  },
)

/** A process that nobody has waited for yet is over too. */
async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat !== '' && !/\) Z /.test(stat)
}

test('a reader does not wait for a long command, which goes on for the next reader', async () => {
  const go = path.join(folder, 'go')
  const file = await command(`until [ -e '${go}' ]; do sleep 0.05; done; cp '${folder}/text.pdf' "$4"`)
  const { home } = await open(file, { waitMs: 20 })
  await home.upload(scan)
  expect((await reads(home)).content['problem']).toContain('Read it again in a few minutes.')
  await writeFile(go, '')
  await expect.poll(async () => (await reads(home)).isError).toBe(false)
  expect(await runsOf(file)).toBe(1)
})

test('a reader that looked for the text before it was recognised does not run the command again', async () => {
  const file = await copying()
  const { home, recognition } = await open(file)
  await home.upload(scan)
  const looked = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const late: Recognition = {
    ...recognition,
    async textOf(...asked) {
      looked.resolve()
      await go.promise
      return recognition.textOf(...asked)
    },
  }
  const slow = reads(await openWorkspace(db.database, {}, late, home.place))
  await looked.promise
  expect((await reads(home)).isError).toBe(false)
  go.resolve()
  expect((await slow).isError).toBe(false)
  expect(await runsOf(file)).toBe(1)
})

test('the end of the service ends the command, and the scan is not marked as failed', async () => {
  const file = await command('sleep 600')
  const { home, recognition } = await open(file, { waitMs: 20 })
  await home.upload(scan)
  await reads(home)
  await expect.poll(() => existsSync(`${file}.runs`)).toBe(true)
  await recognition.close()
  expect(await leftFolders()).toEqual([])
})

test('a program that is not found is refused at the start', () => {
  expect(() => readConfig({ OCR_COMMAND: 'no-such-ocr -l heb', PATH: '/usr/bin:/bin' })).toThrow(
    'OCR_COMMAND names the program no-such-ocr, which is not found.',
  )
  expect(readConfig({ OCR_COMMAND: 'sh -c x', PATH: '/usr/bin:/bin' }).ocr?.words).toEqual(['sh', '-c', 'x'])
})
