/**
 * Waits for work for a limited time. The work itself goes on, and a later failure of it is ignored.
 * @param late creates the error that is thrown when the time is over.
 */
export async function withTimeLimit<T>(work: Promise<T>, timeoutMs: number, late: () => Error): Promise<T> {
  work.catch(() => undefined)
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), timeoutMs)
  })
  return await Promise.race([work, over]).finally(() => clearTimeout(timer))
}
