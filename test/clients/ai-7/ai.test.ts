import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { describeClient, useClientWorld } from '../support/conformance.ts'
import { aiSdkAdapter } from './adapter.ts'

const world = useClientWorld()
const modules = { ai, createOpenAI, createOpenAICompatible }

describeClient(world, aiSdkAdapter(modules, 'ai 7', 'openai-compatible'))
describeClient(world, aiSdkAdapter(modules, 'ai 7', 'openai chat'))
describeClient(world, aiSdkAdapter(modules, 'ai 7', 'openai responses'))
