import OpenAI, { toFile } from 'openai'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { chatAdapter, responsesAdapter } from './adapter.ts'
import { describeResources } from './resources.ts'

const world = useClientWorld()

describeClients(
  world,
  chatAdapter(OpenAI, 'openai 7', { helper: false }),
  chatAdapter(OpenAI, 'openai 7', { helper: true }),
  responsesAdapter(OpenAI, 'openai 7'),
)
describeResources(world, OpenAI, toFile)
testExample(world, import.meta.dirname, 'openai.mts')
testExample(world, import.meta.dirname, 'openai-responses.mts')
