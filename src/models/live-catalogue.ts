import type { Catalogue } from './model-catalogue.ts'

/** A catalogue whose models can be replaced while it is in use. */
export type LiveCatalogue = Catalogue & { replace(next: Catalogue): void }

/**
 * Shows the newest of several catalogues. An earlier one is not closed, because running turns keep their model of it: its
 * idle connections time out by themselves.
 */
export function liveCatalogue(first: Catalogue): LiveCatalogue {
  let current = first
  return {
    get models() {
      return current.models
    },
    get servers() {
      return current.servers
    },
    find: (id) => current.find(id),
    replace(next) {
      current = next
    },
    close: () => current.close(),
  }
}
