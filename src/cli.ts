import { existsSync } from 'node:fs'
import process from 'node:process'
import { failureExitCode, runCommand } from './commands/commands.ts'
import { ConfigError, readConfig } from './config.ts'
import { ServiceError } from './errors.ts'
import { createLogger } from './log.ts'

/** The command line: `npm run -s service -- <noun> <verb> [options]`. */
try {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const config = readConfig(process.env)
  // Standard output belongs to the command: programs parse it.
  const log = createLogger('warn', process.stderr.fd)
  const exitCode = await runCommand(process.argv.slice(2), config, log, process.stdout)
  // After Ctrl-C, a download that still waits for its server would keep the process alive.
  if (exitCode === 130) process.exit(exitCode)
  process.exitCode = exitCode
} catch (error) {
  const plain = error instanceof ConfigError || error instanceof ServiceError
  process.stderr.write(`${plain ? error.message : (error as Error).stack}\n`)
  process.exitCode = await failureExitCode(process.argv.slice(2))
}
