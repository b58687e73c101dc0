import type { Config } from '../../config.ts'
import type { Providers } from './providers.ts'

/**
 * Reads the file of `SIGN_IN_FILE` and makes its providers. Their packages are loaded only for that.
 * @returns undefined without the setting.
 * @throws ConfigError that names the mistake in the file.
 */
export async function openSignIn(
  config: Config['signIn'],
  planNames: readonly string[],
): Promise<Providers | undefined> {
  if (!config) return undefined
  const { readProvidersFile } = await import('./providers-file.ts')
  const entries = await readProvidersFile(config, planNames)
  const { openProviders } = await import('./providers.ts')
  return openProviders(entries)
}
