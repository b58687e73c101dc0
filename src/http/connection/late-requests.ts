import type { Server, ServerResponse } from 'node:http'
import { within } from '../../waiting/waiting.ts'

export type LateRequests = {
  /**
   * Resolves when all requests received so far have their replies, or after `maxMs`. Later requests are not
   * awaited.
   */
  answered(maxMs: number): Promise<void>
}

/** Tracks requests from now on, so that a shutdown can wait for their replies. */
export function followRequests(server: Server): LateRequests {
  const open = new Set<ServerResponse>()
  const follow = (_: unknown, response: ServerResponse) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  }
  server.prependListener('request', follow)
  return {
    async answered(maxMs) {
      server.off('request', follow)
      const closed = [...open].map((response) => new Promise((resolve) => response.once('close', resolve)))
      await within(Promise.all(closed), maxMs)
    },
  }
}
