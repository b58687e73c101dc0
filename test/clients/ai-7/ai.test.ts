import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'
import { aiSdkAdapter } from './adapter.ts'

const world = useClientWorld()
const modules = { ai, createOpenAI, createOpenAICompatible }

describeClients(
  world,
  aiSdkAdapter(modules, 'ai 7', 'openai-compatible'),
  aiSdkAdapter(modules, 'ai 7', 'openai chat'),
  aiSdkAdapter(modules, 'ai 7', 'openai responses'),
)
testExample(world, import.meta.dirname, 'ai-sdk.mts')
testExample(world, import.meta.dirname, 'ai-sdk-openai.mts')
