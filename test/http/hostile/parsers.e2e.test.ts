import { expect, test } from 'vitest'
import { ReplyAssembler } from '../../../src/agent/openai/reply/reply-assembler.ts'
import { cleanFileName, contentTypeOf } from '../../../src/workspace/documents/file-names.ts'
import { mutate } from '../../fuzz/mutate.ts'
import { openTarget, targetNames } from '../../fuzz/targets/targets.ts'
import { seededRandom } from '../../support/random.ts'

const seed = 1 + Math.floor(Math.random() * 2 ** 31)
/** Those that need a database of their own are left to `npm run fuzz -- --parsers`. */
const here = targetNames.filter((name) => name !== 'multipart')
const inputs = 300

test.each(here)(
  `the parser "%s" keeps its promises for its seeds and ${inputs} changes of them (seed ${seed})`,
  async (name) => {
    const target = await openTarget(name)
    const random = seededRandom(seed)
    const others = target.seeds.map((text) => Buffer.from(text as string))
    for (const input of others) await target.check(input)
    for (let n = 0; n < inputs; n += 1) {
      const input = mutate(others[n % others.length] ?? Buffer.alloc(0), random, { others, ...target })
      await expect(Promise.resolve(target.check(input)), input.toString('base64')).resolves.toBeUndefined()
    }
  },
)

// Found by `npm run fuzz -- --parsers`.
test.each(['notes.__proto__', 'notes.constructor', 'toString'])('a file named %s is plain text', (name) => {
  expect(contentTypeOf(name)).toBe('text/plain; charset=utf-8')
})

test('an invisible character between a letter and its accent changes no name', () => {
  expect(cleanFileName('e\u200b\u0301.md')).toBe('\u00e9.md')
  expect(cleanFileName('e\u202e\u0301.md')).toBe(cleanFileName('e\u0301.md'))
})

test.each(['constructor', '__proto__', 'toString'])(
  'the finish reason %s of a model is an ordinary end',
  (reason) => {
    const reply = new ReplyAssembler(undefined)
    reply.acceptAll([
      { data: JSON.stringify({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: reason }] }) },
    ])
    expect(reply.finish().reason).toBe('stop')
  },
)
