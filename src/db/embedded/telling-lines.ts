/** Earlier lines of a log belong to earlier starts. */
const examinedLines = 30

/**
 * The lines of Postgres's output that say why it failed, otherwise its last ones. The reason, such as a full disk, often
 * stands before several lines about the end of the server.
 */
export function tellingLines(output: string): string {
  const lines = output.trim().split('\n').slice(-examinedLines)
  const telling = lines.filter((line) => /\b(?:ERROR|FATAL|PANIC|HINT): |\berror: /.test(line))
  return (telling.length > 0 ? telling : lines).slice(-3).join(' ')
}
