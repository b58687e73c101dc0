import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { isShort } from '../support/full.ts'
import { call } from '../support/world/requests.ts'
import { useWorld } from '../support/world/world.ts'

/** Conversations on the starter library; `ref` or one of `also` should be quoted for the last question. */
type FollowUp = {
  readonly earlier: readonly string[]
  readonly question: string
  readonly ref: string
  readonly also: readonly string[]
}

const conversations = readFileSync('test/agent/follow-ups.jsonl', 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as FollowUp)

const world = useWorld({ model: 'built-in', library: 'starter' })

async function quotedRefs({ earlier, question }: FollowUp): Promise<readonly string[]> {
  const before = earlier.flatMap((content) => [
    { role: 'user', content },
    { role: 'assistant', content: 'An answer.' },
  ])
  const body = { model: 'service', messages: [...before, { role: 'user', content: question }] }
  const response = await call(world.service, world.key, 'POST', '/v1/chat/completions', body)
  const reply = (await response.json()) as { x_service: { sources: readonly { ref: string }[] } }
  return reply.x_service.sources.map(({ ref }) => ref)
}

// All were seen while the rules were chosen, so new questions will do worse.
test('at least nine of ten conversations are answered about their subject', async () => {
  expect(conversations).toHaveLength(40)
  const asked = conversations.filter((_, at) => !isShort || at % 2 === 0)
  let right = 0
  for (const conversation of asked) {
    const quoted = await quotedRefs(conversation)
    if ([conversation.ref, ...conversation.also].some((ref) => quoted.includes(ref))) right += 1
  }
  expect(right).toBeGreaterThanOrEqual(0.9 * asked.length)
})
