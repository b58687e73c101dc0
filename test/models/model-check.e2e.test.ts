import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { launchCommand } from '../evaluation/command-process.ts'
import { stall } from '../support/scripted-upstream.ts'
import { openWorld } from '../support/world/world.ts'

test('Ctrl-C ends models check at once, with code 130 and no stored result', async () => {
  const world = await openWorld({ processes: true })
  const folder = await mkdtemp(path.join(tmpdir(), 'model-check-'))
  try {
    world.upstream.setDefault(stall('One, '))
    const command = launchCommand(world, folder, ['models', 'check'])
    const request = await world.upstream.request(0)
    command.signal('SIGINT')
    const { code, stdout } = await command.ended
    expect([code, await request.ended]).toEqual([130, 'cut'])
    expect(stdout).toContain('Stopped. The result is not stored.')
    expect(await world.rows('select 1 from model_checks')).toEqual([])
  } finally {
    await rm(folder, { recursive: true, force: true })
    await world.close()
  }
})
