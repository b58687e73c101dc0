// biome-ignore lint/style/noProcessEnv: a switch of the tests alone
const isFull = process.env['TESTS'] === 'full'

/** The rows of a test that run every time, followed by those that only `npm run test:full` runs. */
export const rows = <Row>(always: readonly Row[], others: readonly Row[]): readonly Row[] =>
  isFull ? [...always, ...others] : always

/** For `describe.skipIf` and `test.skipIf`: what only `npm run test:full` runs, because a shorter test sees most of it. */
export const isShort = !isFull

/** How often something random is tried. */
export const times = (always: number, full: number): number => (isFull ? full : always)
