export type ServiceInfo = {
  readonly project_id: string
  readonly session_id: string
  readonly run_id: string
  readonly message_id: string
  readonly status: string
  readonly usage: { readonly cost: number; readonly model_calls: number; readonly tool_calls: number }
  readonly files: readonly { readonly id: string; readonly filename: string }[]
  readonly error?: { readonly code: string; readonly message: string }
}

export type Completion = {
  readonly id: string
  readonly choices: readonly {
    readonly finish_reason: string
    readonly message: {
      readonly content: string
      readonly tool_calls?: readonly {
        readonly id: string
        readonly function: { readonly name: string; readonly arguments: string }
      }[]
    }
  }[]
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly cost: number
  }
  readonly x_service: ServiceInfo
}

export type ErrorReply = {
  readonly error: { readonly message: string; readonly type: string; readonly code: string }
}
