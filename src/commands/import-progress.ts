import type { Progress } from '../sources/importers/sefaria/import-export.ts'
import type { Invocation } from './command.ts'

const width = 24
const secondsBetweenLines = 5

/**
 * Shows the progress of an import: a bar that is redrawn on a terminal, otherwise a line from time to time.
 * @param terminal where to draw; undefined when standard error is not a terminal.
 */
export function progressBar(
  { progress }: Pick<Invocation, 'progress'>,
  terminal: NodeJS.WriteStream | undefined = process.stderr.isTTY ? process.stderr : undefined,
): (step: Progress) => void {
  let shown = Number.NEGATIVE_INFINITY
  return (step) => {
    const isLast = step.done === step.total
    if (terminal) {
      terminal.write(
        `\r\x1b[K${barOf(step).slice(0, Math.max(20, terminal.columns - 1))}${isLast ? '\n' : ''}`,
      )
    } else if (isLast || step.seconds - shown >= secondsBetweenLines) {
      shown = step.seconds
      progress(barOf(step))
    }
  }
}

function barOf({ done, total, title, segments, words, seconds }: Progress): string {
  const filled = total > 0 ? Math.round((done / total) * width) : width
  const bar = '#'.repeat(filled) + '.'.repeat(width - filled)
  const rate = seconds > 0 ? Math.round(words / seconds) : 0
  return `[${bar}] ${done}/${total} works  ${segments} segments  ${rate} words/s  ${title}`
}
