import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { aiSdkAdapters } from './adapter.ts'

const world = useClientWorld()

describeClients(world, ...aiSdkAdapters({ ai, createOpenAI, createOpenAICompatible }, 'ai 7'))
testExample(world, import.meta.dirname, 'ai-sdk.mts')
testExample(world, import.meta.dirname, 'ai-sdk-openai.mts')
