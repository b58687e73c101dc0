import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../errors.ts'
import type { RouteDocs } from '../http/openapi-docs.ts'

const docs: RouteDocs = {
  summary: 'Not served: use POST /v1/chat/completions',
  description: 'Always a 404 whose message names the setting that leads a client to the chat route.',
  tag: 'Chat',
  errors: ['not_found'],
}

/** Clients that default to the Responses API are told, in words, which setting leads to the chat route. */
export function responsesRoutes(app: FastifyInstance): void {
  const refuse = async () => {
    throw new ServiceError(
      'not_found',
      'The Responses API is not served here. Use POST /v1/chat/completions: `openai.chat(id)` in the AI SDK, `setOpenAIAPI("chat_completions")` in the Agents SDK, `useResponsesApi: false` in LangChain.',
    )
  }
  const config = { scope: 'chat:write' as const, docs }
  app.post('/responses', { config }, refuse)
  app.get('/responses/:id', { config }, refuse)
  app.post('/responses/:id/cancel', { config }, refuse)
}
