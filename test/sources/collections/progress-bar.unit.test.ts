import { expect, test } from 'vitest'
import { withProgressBar } from '../../../src/commands/imports/import-progress.ts'

const step = (done: number) => ({ done, total: 2, title: 'Tanya', segments: 3, words: 9, seconds: 1 })

async function drawn(...steps: readonly number[]): Promise<string> {
  let text = ''
  const terminal = {
    columns: 80,
    write: (more: string) => {
      text += more
    },
  }
  const show = async (draw: (of: ReturnType<typeof step>) => void) => {
    for (const done of steps) draw(step(done))
    if (steps.includes(-1)) throw new Error('broken off')
  }
  await withProgressBar({ progress: () => undefined }, show, terminal).catch(() => undefined)
  return text
}

test('what follows a bar begins on its own line, however the import ends', async () => {
  for (const steps of [
    [0, 1, 2],
    [0, 1],
    [1, -1],
  ]) {
    const text = await drawn(...steps)
    expect(text, steps.join()).toContain('/2 works')
    expect(text.match(/\n/g), steps.join()).toEqual(['\n'])
    expect(text.endsWith('\n'), steps.join()).toBe(true)
  }
})

test('nothing is written when no bar was drawn', async () => {
  expect(await drawn()).toBe('')
})
