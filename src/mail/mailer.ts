import { setTimeout as delay } from 'node:timers/promises'
import { reasonOf } from '../db/errors.ts'
import type { Logger } from '../log.ts'
import { htmlLetter, type Letter, plainLetter } from './letters.ts'

export type Addressed = { readonly to: string; readonly letter: Letter }

export type Mailer = {
  /** The name of the product in letters. */
  readonly product: string
  /** The address of a page, for letters. */
  url(path: string): string
  /** Sends a letter. @throws the error of the server or the connection. */
  send(addressed: Addressed): Promise<void>
  /**
   * Makes and sends a letter after the request that asks for it, so that the time of its reply tells nothing. Failed
   * attempts are repeated twice, and the last failure is logged without the address.
   */
  post(make: () => Promise<Addressed | undefined>): void
  /** Waits for letters under way, and closes the connections. */
  close(): Promise<void>
}

/** Replies of servers repeat the address, which does not belong in a log. */
export function failureOf(error: unknown): string {
  const { responseCode } = error as { responseCode?: number }
  return responseCode === undefined ? reasonOf(error) : `the server answered ${responseCode}`
}

const pausesMs = [1_000, 15_000]

/** Opens the way to an SMTP server. It connects when there is a letter. The library is loaded only for it. */
export async function openMailer(
  settings: {
    readonly smtpUrl: string
    readonly from: string
    readonly appUrl: string
    readonly product: string
  },
  log: Logger,
): Promise<Mailer> {
  const { createTransport } = await import('nodemailer')
  const { smtpUrl, from, appUrl, product } = settings
  const secure = smtpUrl.startsWith('smtps:')
  const { hostname, port, username, password } = new URL(smtpUrl)
  const transport = createTransport({
    pool: true,
    maxConnections: 2,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    ...(username && { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
  })
  const underWay = new Set<Promise<void>>()
  const stopping = new AbortController()

  async function send({ to, letter }: Addressed): Promise<void> {
    const { subject } = letter
    await transport.sendMail({
      ...{ from, to, subject, text: plainLetter(letter), html: htmlLetter(letter) },
      // Automatic replies do not answer it (RFC 3834).
      headers: { 'auto-submitted': 'auto-generated' },
    })
  }

  async function sendPatiently(addressed: Addressed): Promise<void> {
    for (const pauseMs of pausesMs) {
      try {
        return await send(addressed)
      } catch (error) {
        // The server has refused the letter for good.
        if (((error as { responseCode?: number }).responseCode ?? 0) >= 500) throw error
        await delay(pauseMs, undefined, { signal: stopping.signal })
      }
    }
    return send(addressed)
  }

  return {
    product,
    url: (path) => `${appUrl}${path}`,
    send,
    post(make) {
      const job = make()
        .then((addressed) => addressed && sendPatiently(addressed))
        .catch((error: unknown) => log.warn({ reason: failureOf(error) }, 'a letter could not be sent'))
        .finally(() => underWay.delete(job))
      underWay.add(job)
    },
    async close() {
      stopping.abort(new Error('the service ends'))
      await Promise.all(underWay)
      transport.close()
    },
  }
}
