import OpenAI, { APIError } from 'openai'
import type { ResponseStreamEvent } from 'openai/resources/responses/responses'
import { expect, test } from 'vitest'
import { collect, lastResponse, textOf } from '../support/responses.ts'
import { callTools, gate, reply } from '../support/upstream-scripts.ts'
import { openWorld } from '../support/world/world.ts'

test('after a takeover only readers that have void text get an error', async () => {
  const world = await openWorld({ replicas: 2 })
  const { other } = world
  const lost = gate()
  try {
    const here = new OpenAI({ apiKey: world.key, baseURL: `${world.service.url}/v1` })
    const there = new OpenAI({ apiKey: world.key, baseURL: `${other.url}/v1` })
    world.upstream.enqueue(
      callTools([{ name: 'list_files', arguments: {} }], { text: 'Let me see.' }),
      [{ text: 'Half of a lost reply' }, { waitFor: lost.opened }],
      reply('The whole answer.'),
    )
    const begun = await here.responses.create({ model: 'service', input: 'Go', background: true })
    const read = (starting_after?: number) =>
      there.responses.retrieve(begun.id, {
        stream: true,
        ...(starting_after !== undefined && { starting_after }),
      })
    const had: ResponseStreamEvent[] = []
    const failure = await (async () => {
      for await (const event of await read()) {
        had.push(event)
        if (!textOf(had).endsWith('lost reply')) continue
        // The owner goes, and another replica begins the unfinished reply anew.
        await world.service.runner.drain()
      }
    })().catch((fault: unknown) => fault)
    expect(failure).toBeInstanceOf(APIError)
    expect(failure).toMatchObject({ code: 'run_failed', type: 'invalid_request_error' })
    expect((failure as Error).message).toContain(`/v1/responses/${begun.id}?stream=true`)
    const answer = 'Let me see.\n\nThe whole answer.'
    const anew = await collect(await read())
    expect(textOf(anew)).toBe(answer)
    expect(lastResponse(anew).output_text ?? answer).toBe(answer)
    // Up to the text that still counts the events of both are the same ones.
    const kept = had.findIndex((event) => textOf([event]).includes('Let me see.'))
    expect(anew.slice(0, kept + 1)).toEqual(had.slice(0, kept + 1))
    expect(await collect(await read(had[kept]?.sequence_number))).toEqual(anew.slice(kept + 1))
    const late = had.at(-1)?.sequence_number
    await expect(read(late).then(collect)).rejects.toBeInstanceOf(APIError)
  } finally {
    lost.open()
    await world.close()
  }
})
