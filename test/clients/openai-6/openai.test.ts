import OpenAI, { toFile } from 'openai'
import { chatAdapter, responsesAdapter } from '../openai-7/adapter.ts'
import { describeResources } from '../openai-7/resources.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'

const world = useClientWorld()

describeClients(
  world,
  chatAdapter(OpenAI, 'openai 6', { helper: false }),
  chatAdapter(OpenAI, 'openai 6', { helper: true }),
  responsesAdapter(OpenAI, 'openai 6'),
)
describeResources(world, OpenAI, toFile)
testExample(world, import.meta.dirname, 'openai.mts')
testExample(world, import.meta.dirname, 'openai-responses.mts')
