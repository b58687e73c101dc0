import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { completionSchema, progressEvent } from '../../src/routes/chat/reply-schema.ts'
import { serviceBlock } from '../../src/routes/turn-reply/service-block.ts'
import {
  chatUsage,
  citedSource,
  fileChange,
  freeQuotation,
  turnUsage,
  unknownRef,
} from '../../src/routes/turn-reply/turn-schema.ts'
import { serviceOptions } from '../../src/routes/turn-request/options.ts'

const page = await readFile('docs/x-service.md', 'utf8')

/** Names at the beginning of the items of a section. */
function namesUnder(heading: string): readonly string[] {
  const [, rest = ''] = page.split(new RegExp(`^#+ ${heading}\n`, 'm'))
  const [section = ''] = rest.split(/^#/m)
  return [...section.matchAll(/^- `([\w.]+)`/gm)].map(([, name = '']) => name)
}

test.each([
  ['Request options', Object.keys(serviceOptions.shape)],
  ['Reply members', Object.keys(serviceBlock.shape)],
  ['Sources', Object.keys(citedSource.shape)],
  ['Checks', Object.keys(citedSource.shape.verification.element.shape)],
  ['Files', Object.keys(fileChange.shape)],
  ['unknown_refs', Object.keys(unknownRef.shape)],
  ['Usage', Object.keys(turnUsage.shape)],
  ['Progress events', progressEvent.options.map(({ shape }) => shape.type.value)],
])('docs/x-service.md has each name of %s, and no other', (heading, names) => {
  expect(namesUnder(heading).toSorted()).toEqual(names.toSorted())
})

test('docs/x-service.md adds to a check what a quotation has beside it', () => {
  const checked = Object.keys(citedSource.shape.verification.element.shape)
  expect(namesUnder('Quotations')).toEqual(
    Object.keys(freeQuotation.shape).filter((name) => !checked.includes(name)),
  )
})

test('the sample reply of docs/x-service.md is a complete reply of the chat route', async () => {
  const reply: unknown = JSON.parse(await readFile('examples/reply.json', 'utf8'))
  expect(completionSchema.parse(reply)).toEqual(reply)
  const optional = ['error'] // only in a reply that failed
  const block = completionSchema.parse(reply).x_service
  expect([...Object.keys(block), ...optional].toSorted()).toEqual(Object.keys(serviceBlock.shape).toSorted())
  expect(block.usage).toMatchObject({ cost: completionSchema.parse(reply).usage.cost })
  // only where there are such tokens
  const details = ['prompt_tokens_details', 'completion_tokens_details']
  expect(Object.keys(chatUsage.shape).filter((name) => !details.includes(name))).toEqual(
    Object.keys(completionSchema.parse(reply).usage),
  )
})
