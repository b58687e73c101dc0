import { type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Paths that may carry a secret if somebody logs a whole object. */
const secretPaths = ['authorization', 'cookie', 'set-cookie', 'password', 'key', 'apiKey', 'pepper', 'secret']

/** The JSON logger, on standard output unless told otherwise. Secrets are redacted by field name, at two depths. */
export function createLogger(level: string, fileDescriptor = 1): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretPaths.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[redacted]',
    },
  }
  return pino(options, pino.destination(fileDescriptor))
}
