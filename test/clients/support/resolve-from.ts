import { registerHooks } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

/** Preloaded into an example: resolves packages from the folder `PACKAGES_OF`, as if the file were there. */
const parentURL = pathToFileURL(path.join(process.env['PACKAGES_OF'] ?? '', 'example.ts')).href

registerHooks({
  resolve: (specifier, context, next) =>
    /^(\.|\/|node:|file:)/.test(specifier) || context.parentURL?.includes('/node_modules/')
      ? next(specifier, context)
      : next(specifier, { ...context, parentURL }),
})
