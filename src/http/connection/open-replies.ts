import type { Server, ServerResponse } from 'node:http'

export type OpenReplies = {
  /** Resolves when all requests that were received until now have their replies. */
  answered(): Promise<void>
}

/** Tracks the replies of a server, so that a shutdown can wait for them. */
export function trackReplies(server: Server): OpenReplies {
  const open = new Set<ServerResponse>()
  server.prependListener('request', (_: unknown, response: ServerResponse) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return {
    async answered() {
      await Promise.all(
        [...open].map((response) => new Promise((resolve) => response.once('close', resolve))),
      )
    },
  }
}
