import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { SMTPServer } from 'smtp-server'

/** A letter as it came over SMTP. */
export type ReceivedLetter = { readonly to: string; readonly source: string }

/** An SMTP server that asks for a password and keeps what it gets. */
export type Mailbox = {
  readonly url: string
  readonly letters: readonly ReceivedLetter[]
  /** The next letter to this address that nobody has taken. */
  take(to: string): Promise<ReceivedLetter>
  /** Refuses the next letters with this reply. */
  refuse(status: number, times: number): void
  close(): Promise<void>
}

export async function openMailbox(): Promise<Mailbox> {
  const letters: ReceivedLetter[] = []
  const taken = new Set<ReceivedLetter>()
  const waiting = new Set<() => void>()
  let refusals = { status: 0, times: 0 }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'host' && password === 'p@ss'
        ? done(null, { user: 'host' })
        : done(new Error('wrong password')),
    onData(stream, { envelope }, done) {
      void text(stream).then((source) => {
        if (refusals.times > 0) {
          refusals = { ...refusals, times: refusals.times - 1 }
          return done(Object.assign(new Error('not now'), { responseCode: refusals.status }))
        }
        for (const { address } of envelope.rcptTo) letters.push({ to: address, source })
        done(null)
        for (const look of waiting) look()
      })
    },
  })
  server.on('error', () => undefined)
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const { port } = server.server.address() as AddressInfo
  return {
    url: `smtp://host:${encodeURIComponent('p@ss')}@127.0.0.1:${port}`,
    letters,
    take(to) {
      const found = () => letters.find((one) => one.to === to && !taken.has(one))
      return new Promise((resolve) => {
        const look = () => {
          const letter = found()
          if (!letter) return
          waiting.delete(look)
          taken.add(letter)
          resolve(letter)
        }
        waiting.add(look)
        look()
      })
    },
    refuse(status, times) {
      refusals = { status, times }
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

/** The plain text of a letter, decoded. */
export function plainTextOf({ source }: ReceivedLetter): string {
  const part = /content-type: text\/plain[^\n]*\n(?:[^\n]+\n)*?\r?\n([\s\S]*?)\r?\n--/i.exec(source)
  const encoding = /content-transfer-encoding: (\S+)/i.exec(part?.[0] ?? '')?.[1]?.toLowerCase()
  const body = part?.[1] ?? ''
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  if (encoding !== 'quoted-printable') return body
  const bytes = body
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

/** The path of the link of a letter. */
export function linkIn(letter: ReceivedLetter): string {
  const link = /https?:\/\/\S+/.exec(plainTextOf(letter))?.[0]
  if (link === undefined) throw new Error(`no link in: ${letter.source}`)
  const { pathname, search } = new URL(link)
  return pathname + search
}
