/**
 * Markdown of an answer as plain text for a document without its own headings: no emphasis, links as their words,
 * headings and quotations as paragraphs, list items with a bullet.
 */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^[ \t]{0,3}#{1,6}[ \t]+/gm, '')
    .replace(/^[ \t]*(?:>[ \t]?)+/gm, '')
    .replace(/^([ \t]*)[-*+][ \t]+/gm, '$1• ')
    .replace(/\[([^\]\n]{1,300})\]\((?:[^()\s]|\([^()\s]*\)){1,2000}\)/g, '$1')
    .replace(/(\*\*|__)(?=\S)([^\n]{0,1000}?\S)\1/g, '$2')
    .replace(/(^|[\s(“"])[*_](?=\S)([^\n*_]*\S)[*_]/gm, '$1$2')
    .replace(/`([^`\n]+)`/g, '$1')
}
