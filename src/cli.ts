#!/usr/bin/env node
import process from 'node:process'
import { failureExitCode, runCommand } from './commands/commands.ts'
import { failureText } from './commands/printing/failure-text.ts'
import { loadSettingsFile, readConfig } from './config.ts'
import { createLogger } from './log.ts'

// `head` closes the pipe when it has enough. What is left is for nobody.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit(0)
})

/** The command line: `npm run -s service -- <noun> <verb> [options]`. */
try {
  loadSettingsFile()
  const config = readConfig(process.env)
  // Standard output belongs to the command: programs parse it.
  const log = createLogger('warn', process.stderr.fd)
  const exitCode = await runCommand(process.argv.slice(2), config, log, process.stdout)
  // After Ctrl-C, a download that still waits for its server would keep the process alive.
  if (exitCode === 130) process.exit(exitCode)
  process.exitCode = exitCode
} catch (error) {
  process.stderr.write(`${failureText(error)}\n`)
  process.exitCode = await failureExitCode(process.argv.slice(2))
}
