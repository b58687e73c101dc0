import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'

/** Clients that default to the Responses API are told, in words, which setting leads to the chat route. */
export function responsesRoutes(app: FastifyInstance): void {
  const refuse = async () => {
    throw new ServiceError(
      'not_found',
      'The Responses API is not served here. Use POST /v1/chat/completions: `openai.chat(id)` in the AI SDK, `setOpenAIAPI("chat_completions")` in the Agents SDK, `useResponsesApi: false` in LangChain.',
    )
  }
  app.post('/responses', { config: { scope: 'chat:write' } }, refuse)
  app.get('/responses/:id', { config: { scope: 'chat:write' } }, refuse)
  app.post('/responses/:id/cancel', { config: { scope: 'chat:write' } }, refuse)
}
