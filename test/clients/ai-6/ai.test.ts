import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { aiSdkAdapter } from '../ai-7/adapter.ts'
import { describeClient, useClientWorld } from '../support/conformance.ts'

const world = useClientWorld()
const modules = { ai, createOpenAI, createOpenAICompatible }
/** Errors in a stream are handed over as the service sent them. */
const older = { brokenStream: 'Object' }

describeClient(world, aiSdkAdapter(modules, 'ai 6', 'openai-compatible', older))
describeClient(world, aiSdkAdapter(modules, 'ai 6', 'openai chat', older))
describeClient(world, aiSdkAdapter(modules, 'ai 6', 'openai responses', older))
