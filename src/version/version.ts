import manifest from '../../package.json' with { type: 'json' }

/** Written into the bundle: the commit that it was made from, or an empty text. */
declare const buildCommit: string | undefined

/** The version that the service tells, such as `0.3.0+1a2b3c4d`. Run from the sources, it has no commit. */
export const version =
  typeof buildCommit === 'undefined' || buildCommit === ''
    ? manifest.version
    : `${manifest.version}+${buildCommit}`

/** How the command line is called here: from the sources, or from an installed package. */
export const serviceCommand = import.meta.dirname.split(/[/\\]/).includes('node_modules')
  ? 'npx meduyak-service'
  : 'npm run -s service --'
