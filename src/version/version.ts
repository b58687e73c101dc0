import manifest from '../../package.json' with { type: 'json' }

/** Written into the bundle: the commit that it was made from, or an empty text. */
declare const buildCommit: string | undefined

/** The version that the service tells, such as `0.3.0-dev+1a2b3c4d`. Run from the sources, it has no commit. */
export const version =
  typeof buildCommit === 'undefined' || buildCommit === ''
    ? manifest.version
    : `${manifest.version}+${buildCommit}`
