import { anthropic } from './anthropic.ts'
import { deepseek } from './deepseek.ts'
import { gemini } from './gemini.ts'
import { google } from './google.ts'
import { llamaCpp } from './llama-cpp.ts'
import { lmStudio } from './lm-studio.ts'
import { mistral } from './mistral.ts'
import { moonshot } from './moonshot.ts'
import { ollama } from './ollama.ts'
import { openai } from './openai.ts'
import { openrouter } from './openrouter.ts'
import type { Provider } from './provider.ts'
import { responses } from './responses.ts'
import { vllm } from './vllm.ts'

/** Rows of the table that our own client calls. */
export const openAiCompatible: readonly Provider[] = [
  ...[openai, deepseek, gemini, mistral, vllm, moonshot, openrouter, ollama, llamaCpp, lmStudio],
]

/** The package for this API does not send what Mistral would refuse. */
const { refuses: _refuses, ...acceptedByMistral } = mistral

/** Rows of the table that packages of the AI SDK call. Some servers are played for several APIs or settings. */
export const native: readonly Provider[] = [
  ...[anthropic, google, responses],
  {
    ...anthropic,
    name: 'Anthropic, thinking',
    entry: { ...anthropic.entry, reasoning: { budget_tokens: 1_024 } },
  },
  { ...acceptedByMistral, name: 'Mistral (its own API)', entry: { ...mistral.entry, api: 'mistral' } },
  {
    ...responses,
    // https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle: the same API behind another key.
    name: 'Azure',
    base: '/openai/v1',
    path: '/responses',
    entry: { ...responses.entry, api: 'azure' },
    check: (body, headers) =>
      responses.check(body, { ...headers, authorization: `Bearer ${headers['api-key'] ?? ''}` }),
  },
]
