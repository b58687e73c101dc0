/** Attributes of markup that people read or hear. */
const spokenAttribute = /\b(?:aria-label|placeholder|title|alt|label)="([^"]*)"/g

/** Members of components' options that become texts. */
const spokenMember =
  /\b(?:label|title|name|question|confirm|cancel|submit|placeholder|hint|meaning|what)\s*[:=]\s*(['`])([A-Z][^'`]*)\1/g

/** Calls of components whose first or second argument is a text. */
const spokenArgument =
  /\b(?:emptyState|notice)\(\s*(?:'(?:problem|done|note)',\s*)?(?:html)?(['`])([A-Z<][^'`]*)\1/g

/**
 * Texts in the source of a page that do not come from the catalogue in `src/web/texts`, a sentence each. It finds
 * texts and spoken attributes in `html` templates, and texts that are passed to components.
 */
export function textsOutsideCatalogue(file: string, source: string): readonly string[] {
  const found = [
    ...templatesOf(source).flatMap(textsOfTemplate),
    ...[...source.matchAll(spokenMember)].map(([, , text = '']) => text),
    ...[...source.matchAll(spokenArgument)].map(([, , text = '']) => text),
  ]
  return found.filter(hasWord).map((text) => {
    const words = text.trim().replace(/\s+/g, ' ').slice(0, 60)
    return `${file}: "${words}": take this text from the catalogue in src/web/texts, in every language.`
  })
}

/** Two letters in a row, outside the placeholders of inserted values. */
function hasWord(text: string): boolean {
  return /\p{L}{2}/u.test(text.replace(/\$\{[^}]*\}/g, ''))
}

/** The constant parts of every `html` template; a NUL stands for each inserted value. */
function templatesOf(source: string): readonly string[] {
  const templates: string[] = []
  let at = 0
  while (at < source.length) at = readCode(source, at, templates)
  return templates
}

/** Reads code up to the end of the block that begins before `at`. @returns the place after its closing brace. */
function readCode(source: string, at: number, templates: string[]): number {
  let next = at
  while (next < source.length) {
    const character = source[next]
    if (character === '}') return next + 1
    if (character === '{') next = readCode(source, next + 1, templates)
    else if (character === '`')
      next = readTemplate(source, next, source.slice(Math.max(0, next - 4), next) === 'html', templates)
    else next += 1
  }
  return next
}

/** Reads the template whose first backtick is at `at`. @returns the place after its last backtick. */
function readTemplate(source: string, at: number, isMarkup: boolean, templates: string[]): number {
  let text = ''
  let next = at + 1
  while (next < source.length && source[next] !== '`') {
    if (source.startsWith('${', next)) {
      text += '\0'
      next = readCode(source, next + 2, templates)
    } else {
      text += source[next] === '\\' ? ' ' : source[next]
      next += source[next] === '\\' ? 2 : 1
    }
  }
  if (isMarkup) templates.push(text)
  return next + 1
}

function textsOfTemplate(template: string): readonly string[] {
  const attributes = [...template.matchAll(spokenAttribute)].map(([, text = '']) => text)
  // A template without a tag is a part of one, such as ` checked`, or the words of a sentence.
  if (/^\s*(?:[a-z-]+(?:="[^"]*")?\s*)+$/.test(template) && !/[.!?,A-Z]/.test(template)) return attributes
  const texts = template
    .replace(/<!doctype html>/, '')
    .replace(/<(code|kbd)\b[^>]*>[^<]*<\/\1>/g, '')
    .split(/<[^>]*>?/)
  return [...attributes, ...texts]
}
