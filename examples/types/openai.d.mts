/** Adds the members of the service to the types of the `openai` package, version 6 or 7. Put both files in your project. */
import type { ChatRequest, ResponseRequest, ServiceBlock } from './service.d.mts'

declare module 'openai/resources/chat/completions/completions' {
  interface ChatCompletion {
    x_service: ServiceBlock
  }
  interface ChatCompletionChunk {
    x_service?: ServiceBlock | { event: unknown }
  }
  interface ChatCompletionCreateParamsBase {
    x_service?: ChatRequest['x_service']
  }
}

declare module 'openai/resources/completions' {
  interface CompletionUsage {
    /** Credits charged for the turn. */
    cost?: number
  }
}

declare module 'openai/resources/responses/responses' {
  interface Response {
    x_service: ServiceBlock
  }
  interface ResponseCreateParamsBase {
    x_service?: ResponseRequest['x_service']
  }
  interface ResponseUsage {
    /** Credits charged for the turn. */
    cost?: number
  }
}
