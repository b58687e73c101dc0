import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import * as ai from 'ai'
import { aiSdkAdapters } from '../ai-7/adapter.ts'
import { describeClients, useClientWorld } from '../support/conformance.ts'
import { testExample } from '../support/examples.ts'

const world = useClientWorld()
/** Version 6 passes errors in a stream on as the service sent them. */
const older = { brokenStream: 'Object' }

describeClients(world, ...aiSdkAdapters({ ai, createOpenAI, createOpenAICompatible }, 'ai 6', older))
testExample(world, import.meta.dirname, 'ai-sdk.mts', undefined, false)
testExample(world, import.meta.dirname, 'ai-sdk-openai.mts')
