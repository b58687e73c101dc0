import { setImmediate as turnOfTheLoop } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lazyInSteps } from '../../../src/sources/text/lazy.ts'

/** Counts to `steps`, and remembers how often it was begun. */
function counted(steps: number) {
  const begun = { times: 0, steps: 0 }
  const value = lazyInSteps(function* (): Generator<undefined, number> {
    begun.times += 1
    for (let i = 0; i < steps; i += 1) {
      begun.steps += 1
      yield
    }
    return begun.steps
  })
  return { value, begun }
}

describe('a value that is made in steps', () => {
  it('is made once, by its first use', () => {
    const { value, begun } = counted(3)
    expect(begun.times).toBe(0)
    expect([value(), value()]).toEqual([3, 3])
    expect(begun).toEqual({ times: 1, steps: 3 })
  })

  it('lets the event loop run while it is loaded', async () => {
    let isLoaded = false
    const slow = lazyInSteps(function* (): Generator<undefined, true> {
      for (let i = 0; i < 3; i += 1) {
        const until = performance.now() + 10
        while (performance.now() < until);
        yield
      }
      return true
    })
    const loading = slow.load().then(() => (isLoaded = true))
    await turnOfTheLoop()
    expect(isLoaded).toBe(false)
    await loading
    expect(slow()).toBe(true)
  })

  it('is completed at once by a use while it is loaded, and no step is made twice', async () => {
    const { value, begun } = counted(1_000)
    const steps = value.steps()
    steps.next()
    expect(begun.steps).toBe(1)
    expect(value()).toBe(1_000)
    await value.load()
    expect(steps.next()).toEqual({ done: true, value: 1_000 })
    expect(begun).toEqual({ times: 1, steps: 1_000 })
  })

  it('is made of another one whose steps are its own', () => {
    const { value, begun } = counted(2)
    const double = lazyInSteps(function* (): Generator<undefined, number> {
      return 2 * (yield* value.steps())
    })
    const steps = double.steps()
    steps.next()
    expect(begun.steps).toBe(1)
    expect(double()).toBe(4)
  })

  it('is made again after an error, which is no value', () => {
    let fails = true
    const value = lazyInSteps(function* (): Generator<undefined, string> {
      yield
      if (fails) throw new Error('unreadable')
      return 'read'
    })
    expect(() => value()).toThrow('unreadable')
    expect(() => value()).toThrow('unreadable')
    fails = false
    expect(value()).toBe('read')
  })
})
