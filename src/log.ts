import process from 'node:process'
import { type LogFn, type Logger, pino } from 'pino'

export type { Logger } from 'pino'

/** Paths that may carry a secret if somebody logs a whole object. */
const secretPaths = ['authorization', 'cookie', 'set-cookie', 'password', 'key', 'apiKey', 'pepper', 'secret']

/** Lines wait for one another this long, and up to this many bytes: a write for each costs more than all of its making. */
const flushMs = 100
const flushBytes = 8 * 1024

const warn = pino.levels.values['warn'] ?? 0

/**
 * The JSON logger, on standard output unless told otherwise. Secrets are redacted by field name, at two depths. Warnings and
 * worse are written at once with all before them, the rest within 100 ms: a process that is killed loses no more.
 */
export function createLogger(level: string, fileDescriptor = 1): Logger {
  const destination = pino.destination({ dest: fileDescriptor, sync: true, minLength: flushBytes })
  let timer: NodeJS.Timeout | undefined
  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    // Not `flushSync`, which tries for ever when nobody reads the pipe any more.
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
