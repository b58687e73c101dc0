import OpenAI, { toFile } from 'openai'
import { describeClient, useClientWorld } from '../support/conformance.ts'
import { chatAdapter, responsesAdapter } from './adapter.ts'
import { describeResources } from './resources.ts'

const world = useClientWorld()

describeClient(world, chatAdapter(OpenAI, 'openai 7', { helper: false }))
describeClient(world, chatAdapter(OpenAI, 'openai 7', { helper: true }))
describeClient(world, responsesAdapter(OpenAI, 'openai 7'))
describeResources(world, OpenAI, toFile)
