import { ServiceError } from '../../errors.ts'

export type WorkLimit = ReturnType<typeof createWorkLimit>

type Bounds = {
  /** For people, in the plural. */
  readonly what: string
  readonly maxRunning: number
  readonly maxWaiting: number
  readonly retryAfterSeconds: number
}

type Line = { running: number; readonly waiting: Set<() => void> }

/**
 * Limits concurrent work of one kind per account or address in this process. More work of the same owner
 * waits in a queue. Each replica counts for itself.
 */
export function createWorkLimit(bounds: Bounds) {
  const lines = new Map<string, Line>()

  function leave(owner: string, line: Line): void {
    const [next] = line.waiting
    if (next) {
      // The slot passes directly to the next one in the queue, so that no newcomer takes it.
      line.waiting.delete(next)
      next()
    } else {
      line.running -= 1
      if (line.running === 0) lines.delete(owner)
    }
  }

  return {
    /**
     * Runs `work` when a slot is free.
     * @param signal ends the waiting; `work` must observe it by itself.
     * @throws ServiceError `rate_limit_exceeded` when the queue is full; the reason of `signal`; whatever
     * `work` throws.
     */
    async run<T>(owner: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
      signal.throwIfAborted()
      const line = lines.get(owner) ?? { running: 0, waiting: new Set() }
      lines.set(owner, line)
      if (line.running < bounds.maxRunning) line.running += 1
      else if (line.waiting.size >= bounds.maxWaiting) throw tooMany(bounds)
      else await turnOf(line, signal)
      try {
        return await work()
      } finally {
        leave(owner, line)
      }
    },
  }
}

function turnOf({ waiting }: Line, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const next = () => {
      signal.removeEventListener('abort', left)
      resolve()
    }
    const left = () => {
      waiting.delete(next)
      reject(signal.reason)
    }
    waiting.add(next)
    signal.addEventListener('abort', left, { once: true })
  })
}

function tooMany({ what, maxRunning, maxWaiting, retryAfterSeconds }: Bounds): ServiceError {
  return new ServiceError(
    'rate_limit_exceeded',
    `${maxRunning} ${what} are running and ${maxWaiting} are queued, which is the maximum. Try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  )
}

export type LibraryLimits = ReturnType<typeof createLibraryLimits>

/** The limits that the API and the Model Context Protocol share. */
export function createLibraryLimits() {
  // A verification uses a thread for up to 20 s.
  const bounds = { what: 'verifications', maxRunning: 1, maxWaiting: 2, retryAfterSeconds: 10 }
  return { searches: createSearchLimit(), verifications: createWorkLimit(bounds) }
}

/** A search takes 20 to 50 ms. */
export function createSearchLimit(): WorkLimit {
  return createWorkLimit({ what: 'searches', maxRunning: 4, maxWaiting: 32, retryAfterSeconds: 1 })
}

/** A page of a conversation takes up to some seconds, and several connections to Postgres. */
export function createConversationLimit(): WorkLimit {
  return createWorkLimit({
    what: 'pages of conversations',
    maxRunning: 2,
    maxWaiting: 60,
    retryAfterSeconds: 5,
  })
}
