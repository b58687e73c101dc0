import OpenAI from 'openai'
import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses'
import type { ServiceInfo } from './world/replies.ts'
import type { World } from './world/world.ts'

/** The official client with default settings. */
export const clientOf = ({ key, service }: World): OpenAI =>
  new OpenAI({ apiKey: key, baseURL: `${service.url}/v1` })

export const serviceOf = (response: object): ServiceInfo =>
  (response as { readonly x_service: ServiceInfo }).x_service

export const costOf = (response: Response): number =>
  (response.usage as unknown as { readonly cost: number }).cost

export const runOf = (responseId: string): string => responseId.replace('resp_', 'run_')

/** Credits that the ledger charged for a run. */
export async function chargeOf(world: World, runId: string): Promise<number> {
  const { micros } = await world.row<{ micros: string }>(
    `select (-(allowance_micros + granted_micros))::text as micros from ledger where run_id = $1`,
    runId,
  )
  return Number(micros) / 1_000_000
}

export async function collect(stream: AsyncIterable<ResponseStreamEvent>): Promise<ResponseStreamEvent[]> {
  const events: ResponseStreamEvent[] = []
  for await (const event of stream) events.push(event)
  return events
}

export const textOf = (events: readonly ResponseStreamEvent[]): string =>
  events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : '')).join('')

/** The response in the last event of a stream. */
export function lastResponse(events: readonly ResponseStreamEvent[]): Response {
  const last = events.at(-1)
  if (!last || !('response' in last)) throw new Error(`the last event is ${last?.type}`)
  return last.response
}
