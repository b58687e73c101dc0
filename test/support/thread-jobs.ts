import { ServiceError } from '../../src/errors.ts'
import { inThread } from '../../src/threads.ts'

/** The jobs that tests run in worker threads. */
export type TestJob =
  | { readonly kind: 'echo'; readonly value: string }
  | { readonly kind: 'loop' }
  | { readonly kind: 'refuse' }
  | { readonly kind: 'fail' }

export const job = inThread(async (input: TestJob): Promise<string> => {
  switch (input.kind) {
    case 'echo':
      return input.value
    case 'loop':
      for (;;);
    case 'refuse':
      throw new ServiceError('invalid_value', 'This is refused.', { param: 'text' })
    case 'fail':
      throw new Error('failed', { cause: Object.assign(new Error('no lock'), { code: '55P03' }) })
  }
})
