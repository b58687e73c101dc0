import { Agent, request } from 'undici'
import { z } from 'zod'
import type { Config } from '../config.ts'
import { messageOf } from '../errors.ts'
import type { Logger } from '../log.ts'

/** `unknown`: the server did not answer, and the settings refuse what it has not seen. */
export type Verdict = 'passed' | 'flagged' | 'unknown'

export type Moderation = {
  /**
   * Asks about a text; an empty one passes. It never throws and takes at most five seconds.
   * @param about what the log names.
   */
  judge(text: string, about: Readonly<Record<string, string | null>>): Promise<Verdict>
  close(): Promise<void>
}

const defaultTimeoutMs = 5_000

const reply = z.object({
  results: z
    .array(z.object({ flagged: z.boolean(), categories: z.record(z.string(), z.unknown()).optional() }))
    .min(1),
})

/** The server of `MODERATION_URL`. It keeps connections: close it. */
export function openModeration(
  { url, apiKey, model, onFailure }: NonNullable<Config['moderation']>,
  log: Pick<Logger, 'info' | 'warn'>,
  timeoutMs = defaultTimeoutMs,
): Moderation {
  const dispatcher = new Agent({ maxResponseSize: 1024 * 1024 })
  const ask = async (input: string): Promise<z.infer<typeof reply>['results']> => {
    const { statusCode, body } = await request(`${url}/moderations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(apiKey && { authorization: `Bearer ${apiKey}` }) },
      body: JSON.stringify({ input, ...(model && { model }) }),
      dispatcher,
      // Bounds the whole exchange, a slow body included.
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (statusCode === 200) return reply.parse(await body.json()).results
    await body.dump()
    throw new Error(`status ${statusCode}`)
  }
  return {
    async judge(text, about) {
      if (text.trim() === '') return 'passed'
      try {
        const flagged = (await ask(text)).filter((result) => result.flagged)
        if (flagged.length === 0) return 'passed'
        log.info({ ...about, categories: namesOf(flagged) }, 'the moderation server flagged a text')
        return 'flagged'
      } catch (error) {
        // A reply that is no moderation may quote the text.
        const reason = error instanceof z.ZodError ? 'its reply has no results' : messageOf(error)
        log.warn({ ...about, reason, onFailure }, 'the moderation server gave no verdict')
        return onFailure === 'allow' ? 'passed' : 'unknown'
      }
    },
    close: () => dispatcher.close(),
  }
}

function namesOf(results: z.infer<typeof reply>['results']): readonly string[] {
  const named = results.flatMap(({ categories = {} }) =>
    Object.entries(categories).flatMap(([name, applies]) => (applies === true ? [name] : [])),
  )
  return [...new Set(named)]
}
