/** Document ranges (both ends inclusive, rising, apart from each other) that a search is confined to. */
export type DocumentRanges = readonly (readonly [first: number, last: number])[]
