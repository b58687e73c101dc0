/** Headers and errors that both APIs document. */
export const turnDocs = {
  requestHeaders: {
    'Idempotency-Key':
      '1 to 255 visible ASCII characters, kept for 24 hours. Another body under it is refused.',
    'X-Stainless-Retry-Count': 'What OpenAI’s clients send: how often they have tried before.',
    'x-service-session-id': 'The session to resume.',
    'x-service-project-id': 'The project in which a new session is made.',
    'x-service-continue': '`false`: messages that continue a known conversation start a new session.',
    'x-service-background':
      '`true` or `false`. In the same way `x-service-on-disconnect`, `-sources`, `-progress`, `-reasoning`, `-isolates`, `-citation-style`, `-tools`, `-max-cost`.',
  },
  replyHeaders: {
    'x-service-project-id': 'Where the turn runs.',
    'x-service-session-id': 'The session, for resuming it.',
    'x-service-run-id': 'The run.',
    'x-service-message-id': 'The message that the run writes.',
    'x-service-files':
      'Ids of the files that the turn wrote, by commas; empty when it wrote none. Absent when the headers were sent before the turn ended: read `x_service.files` at the end of the body.',
    'idempotency-replayed': '`true` when the request reads the run of an earlier one.',
  },
  errors: [
    'not_found',
    'model_not_found',
    'unsupported_parameter',
    'content_filter',
    'idempotency_key_reused',
    'session_busy',
    'insufficient_credits',
    'key_cap_reached',
    'too_many_concurrent_runs',
  ],
  lateErrors: ['context_length_exceeded', 'upstream_error', 'run_failed', 'overloaded'],
} as const
