import process from 'node:process'
import { type LogFn, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Paths that may carry a secret if somebody logs a whole object. */
const secretPaths = [
  'authorization',
  'x-api-key',
  'api-key',
  'cookie',
  'set-cookie',
  'password',
  'key',
  'apiKey',
  'pepper',
  'secret',
]

/** Milliseconds and bytes for which lines are buffered. Writing a line costs more than creating it. */
const flushMs = 100
const flushBytes = 8 * 1024

const warn = pino.levels.values['warn'] ?? 0

/**
 * Creates the JSON logger; default: standard output. Secrets are redacted by field name at three depths.
 * Warnings and errors are written immediately with everything before them; other lines within 100 ms, so a
 * killed process loses no more than that.
 */
export function createLogger(level: string, fileDescriptor = 1): Logger {
  const destination = pino.destination({ dest: fileDescriptor, sync: true, minLength: flushBytes })
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    // `flushSync` would retry forever after the reader of the pipe has closed it.
    destination.flush()
  }
  process.once('exit', flush)
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretPaths.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
      censor: '[redacted]',
    },
    hooks: {
      logMethod(this: Logger, args: Parameters<LogFn>, method: LogFn, of: number) {
        method.apply(this, args)
        if (of >= warn) flush()
        else timer ??= setTimeout(flush, flushMs).unref()
      },
    },
  }
  return pino(options, destination)
}
