import OpenAI, { toFile } from 'openai'
import { chatAdapter, responsesAdapter } from '../openai-7/adapter.ts'
import { describeResources } from '../openai-7/resources.ts'
import { describeClient, useClientWorld } from '../support/conformance.ts'

const world = useClientWorld()

describeClient(world, chatAdapter(OpenAI, 'openai 6', { helper: false }))
describeClient(world, chatAdapter(OpenAI, 'openai 6', { helper: true }))
describeClient(world, responsesAdapter(OpenAI, 'openai 6'))
describeResources(world, OpenAI, toFile)
