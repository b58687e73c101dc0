/**
 * Preloaded into the service with `--import`: measures its event loop from inside and reports its routes to
 * the parent process. The service does not use it.
 */
import { subscribe } from 'node:diagnostics_channel'
import process from 'node:process'
import { isMainThread } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { runningMs } from '../../support/running-clock.ts'

/** A route as Fastify knows it; `page` says who may open it, and is absent for API routes. */
export type ServedRoute = {
  readonly method: string
  readonly url: string
  readonly page: string | undefined
}

export type ProbeOrder = { readonly id: number; readonly order: 'begin' | 'settle' | 'read' }

export type ProbeMessage =
  | { readonly routes: readonly ServedRoute[] }
  | { readonly id: number; readonly worstMs: number }

const tickMs = 1

let last = runningMs()
let worstMs = 0

function tick(): void {
  const now = runningMs()
  worstMs = Math.max(worstMs, now - last - tickMs)
  last = now
}

function act({ id, order }: ProbeOrder): void {
  if (order === 'settle') globalThis.gc?.()
  // After a blocked loop, a message can arrive before the timer, so the delay is measured here too.
  if (order === 'read') tick()
  else [last, worstMs] = [runningMs(), 0]
  process.send?.({ id, worstMs } satisfies ProbeMessage)
}

function noteRoutes(message: unknown): void {
  const { fastify } = message as { fastify: FastifyInstance }
  const routes: ServedRoute[] = []
  fastify.addHook('onRoute', ({ method, url, config }) => {
    const { page } = (config ?? {}) as { page?: string }
    for (const one of [method].flat()) routes.push({ method: one, url, page })
  })
  fastify.addHook('onReady', async () => {
    process.send?.({ routes } satisfies ProbeMessage)
  })
}

if (isMainThread && process.send) {
  subscribe('fastify.initialization', noteRoutes)
  setInterval(tick, tickMs).unref()
  process.on('message', act)
  process.channel?.unref()
}
