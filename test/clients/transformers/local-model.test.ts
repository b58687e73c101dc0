import { execFile } from 'node:child_process'
import { copyFile, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { useFolder } from '../../support/folder.ts'
import { close, listenAt } from '../../support/loopback.ts'
import { writeTinyModel } from './tiny-model.ts'

const folder = useFolder()
const model = path.join(folder, 'tiny')

beforeAll(async () => {
  await writeTinyModel(model, {
    joy: [1, 0, 0],
    שמחה: [1, 0, 0],
    awe: [0, 1, 0],
    stone: [0, 0, 1],
  })
})

type Result = {
  readonly canRun: boolean
  readonly name: string
  readonly downloaded: readonly string[]
  readonly vectors?: readonly (readonly number[])[]
  readonly fault?: string
}

/** The address of the Hub: nothing answers there unless a test puts a server there. */
let hub = 'http://127.0.0.1:1'

/** Runs the service's own code in a process that finds the package in this folder. */
async function embed(name: string, ...texts: readonly string[]): Promise<Result> {
  const preload = path.join(import.meta.dirname, '../support/resolve-from.ts')
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      '--import',
      preload,
      path.join(import.meta.dirname, 'embed.ts'),
      hub,
      name,
      path.join(folder, 'cache'),
      ...texts,
    ],
    {
      env: { PACKAGES_OF: import.meta.dirname },
      timeout: 60_000,
    },
  )
  return JSON.parse(stdout) as Result
}

it('a folder with a model gives vectors of length 1, equal for words of one meaning', async () => {
  const texts = ['joy', 'שִׂמְחָה', 'joy awe', 'stone stone', ...Array.from({ length: 40 }, () => 'awe')]
  const { canRun, name, downloaded, vectors = [], fault } = await embed(model, ...texts)
  expect(fault).toBeUndefined()
  expect(downloaded).toEqual([])
  expect(canRun).toBe(true)
  expect(name).toBe(`local:${model}`)
  expect(vectors).toHaveLength(44)
  expect(vectors[0]).toEqual([1, 0, 0])
  expect(vectors[1]).toEqual([1, 0, 0])
  expect(vectors[2]?.map((value) => value.toFixed(3))).toEqual(['0.707', '0.707', '0.000'])
  expect(vectors.slice(4).every((vector) => vector[1] === 1)).toBe(true)
})

it('a folder that is not there, or holds no model, is named in the fault', async () => {
  expect((await embed(path.join(folder, 'none'), 'joy')).fault).toContain(path.join(folder, 'none'))
  expect((await embed(folder, 'joy')).fault).toContain('cannot be run')
})

it('a model of the Hub is downloaded with progress once, and then needs no network', async () => {
  await copyFile(path.join(model, 'onnx/model.onnx'), path.join(model, 'onnx/model_quantized.onnx'))
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    const file = request.url?.replace('/an/id/resolve/main/', '') ?? ''
    readFile(path.join(model, file)).then(
      (body) => response.writeHead(200, { 'content-length': body.length }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  hub = await listenAt(server)
  const first = await embed('an/id', 'awe')
  expect(first.vectors).toEqual([[0, 1, 0]])
  expect(first.downloaded).toContain('onnx/model_quantized.onnx')
  expect(asked).toContain('/an/id/resolve/main/onnx/model_quantized.onnx')
  await close(server)
  expect((await embed('an/id', 'awe')).vectors).toEqual([[0, 1, 0]])
})

it('a model that cannot be downloaded is a fault that names it', async () => {
  expect((await embed('another/id', 'awe')).fault).toContain('another/id')
})
