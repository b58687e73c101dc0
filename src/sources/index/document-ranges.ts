/** Ranges of document numbers that limit a search: both ends inclusive, in ascending order, without overlap. */
export type DocumentRanges = readonly (readonly [first: number, last: number])[]
