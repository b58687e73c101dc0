import { isPlanned } from './plan.ts'
import { type Body, type Issued, letters, type Provider, pieces, plain, type Refusal } from './provider.ts'

/**
 * Google's generateContent.
 *
 * Documentation: https://ai.google.dev/api/generate-content (members, stream of whole responses, usage in each),
 * https://ai.google.dev/gemini-api/docs/function-calling (roles and order), https://ai.google.dev/gemini-api/docs/thought-signatures
 * (the first call of each step of the current turn needs its signature; the last part of an answer may have one).
 * From users' reports: the texts of refusals, unknown members of schemas, events that end in CR LF.
 */

const members = [
  ...['contents', 'tools', 'toolConfig', 'safetySettings', 'systemInstruction', 'generationConfig'],
  ...['cachedContent', 'labels', 'serviceTier', 'store'],
]
/** What its schemas of functions do not have. */
const schemaStrangers = ['$schema', 'const', '$ref', 'exclusiveMinimum', 'patternProperties']

/** `skip_…` is what the documentation names for calls that another model made. */
const signatures = new Set(['skip_thought_signature_validator'])

const refuse = (message: string, details?: unknown): Refusal =>
  plain(400, { error: { code: 400, message, status: 'INVALID_ARGUMENT', ...(details ? { details } : {}) } })

function unknownNames(body: Body): readonly string[] {
  const names = Object.keys(body).filter((member) => !members.includes(member))
  const declarations = (body.tools ?? []).flatMap((tool: Body) => tool.functionDeclarations ?? [])
  const parameters = JSON.stringify(declarations.map((declaration: Body) => declaration.parameters ?? {}))
  return [
    ...names.map((name) => `Invalid JSON payload received. Unknown name "${name}": Cannot find field.`),
    ...schemaStrangers
      .filter((name) => parameters.includes(`"${name}":`))
      .map(
        (name) =>
          `Invalid JSON payload received. Unknown name "${name}" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
      ),
  ]
}

const partsOf = (content: Body, member: string): Body[] =>
  content.parts.filter((part: Body) => member in part)

function checkTurns(contents: Body, at: number): Refusal | undefined {
  const content = contents[at]
  if (!['user', 'model'].includes(content.role)) return refuse('Please use a valid role: user, model.')
  if (content.parts.length === 0)
    return refuse(`* GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`)
  const calls = partsOf(content, 'functionCall')
  const answers = partsOf(contents[at + 1] ?? { parts: [] }, 'functionResponse')
  if (calls.length > 0 && contents[at - 1]?.role !== 'user')
    return refuse(
      'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
    )
  if (calls.length !== answers.length)
    return refuse(
      'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
    )
  return undefined
}

function checkSignatures(content: Body, at: number, isCurrent: boolean): Refusal | undefined {
  const strange = content.parts.some(
    ({ thoughtSignature }: Body) => thoughtSignature !== undefined && !signatures.has(thoughtSignature),
  )
  if (strange) return refuse('Corrupted thought signature.')
  const [call] = partsOf(content, 'functionCall')
  if (!isCurrent || !call || call.thoughtSignature !== undefined) return undefined
  return refuse(
    `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \`default_api:${call.functionCall.name}\`, position ${at + 1}. Please refer to https://ai.google.dev/gemini-api/docs/thought-signatures for more details.`,
  )
}

function checkContents(contents: Body): Refusal | undefined {
  const turn = contents.findLastIndex(
    (content: Body) => content.role === 'user' && partsOf(content, 'text').length > 0,
  )
  for (const [at, content] of contents.entries()) {
    const refusal = checkTurns(contents, at) ?? checkSignatures(content, at, at > turn)
    if (refusal) return refusal
  }
  return contents[0]?.role === 'user'
    ? undefined
    : refuse('Please ensure that the first turn is a user turn.')
}

export const google: Provider = {
  name: 'Google',
  base: '/v1beta',
  path: '/models/m:streamGenerateContent',
  entry: { api: 'google', images: true },
  check(body, headers) {
    if (headers['x-goog-api-key'] !== 'key')
      return refuse('API key not valid. Please pass a valid API key.', [
        { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
      ])
    const unknown = unknownNames(body)
    if (unknown.length > 0)
      return refuse(unknown.join('\n'), [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: unknown.map((description) => ({ description })),
        },
      ])
    return checkContents(body.contents)
  },
  question({ contents }) {
    const planned = (part: Body) => isPlanned(part.text ?? '')
    const at = contents.findLastIndex(({ role, parts }: Body) => role === 'user' && parts.some(planned))
    if (at < 0) return { text: '', steps: 0 }
    const steps = contents.slice(at + 1).filter(({ role }: Body) => role === 'model').length
    return { text: contents[at].parts.findLast(planned).text, steps }
  },
  returned: ({ contents }) =>
    contents
      .filter(({ role }: Body) => role === 'model')
      .map(
        ({ parts }: Body): Issued => ({
          calls: parts
            .filter((part: Body) => 'functionCall' in part)
            .map(({ functionCall: { name, args } }: Body) => ({ name, args })),
          signatures: parts.flatMap(({ thoughtSignature }: Body) => thoughtSignature ?? []),
        }),
      ),
  reply(move, tokens, serial) {
    const thoughtsTokens = 9
    const usageMetadata = {
      promptTokenCount: tokens.prompt,
      candidatesTokenCount: tokens.completion - thoughtsTokens,
      totalTokenCount: tokens.prompt + tokens.completion,
      promptTokensDetails: [{ modality: 'TEXT', tokenCount: tokens.prompt }],
      thoughtsTokenCount: thoughtsTokens,
    }
    const say = (parts: readonly object[], finishReason?: string) =>
      `data: ${JSON.stringify({
        candidates: [{ content: { parts, role: 'model' }, index: 0, ...(finishReason && { finishReason }) }],
        usageMetadata,
        modelVersion: 'gemini-3-pro-preview',
        responseId: letters(serial, 20),
      })}\r\n\r\n`
    const thoughtSignature = `EjQKMgEM${letters(serial, 60)}==`
    signatures.add(thoughtSignature)
    const calls = (move.calls ?? []).map((call, at) => ({
      functionCall: { name: call.name, args: call.arguments, id: letters(serial * 10 + at, 8).toLowerCase() },
      ...(at === 0 && { thoughtSignature }),
    }))
    const thoughts = move.thoughts ?? ''
    return {
      blocks: [
        ...(thoughts === '' ? [] : [say([{ text: thoughts, thought: true }])]),
        ...pieces(move.text ?? '').map((text) => say([{ text }])),
        ...(calls.length > 0 ? [say(calls)] : []),
        say(
          [calls.length > 0 ? { text: '' } : { text: '', thoughtSignature }],
          move.cutShort ? 'MAX_TOKENS' : 'STOP',
        ),
      ],
      issued: {
        calls: calls.map(({ functionCall: { name, args } }) => ({ name, args })),
        signatures: [thoughtSignature],
      },
    }
  },
  busy: plain(429, {
    error: {
      code: 429,
      message: 'You exceeded your current quota. Please retry in 1.0s.',
      status: 'RESOURCE_EXHAUSTED',
      details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
    },
  }),
}
