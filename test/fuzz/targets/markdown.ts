import { Parser } from 'htmlparser2'
import { renderMarkdown } from '../../../src/web/markdown/markdown.ts'
import { require, type Target } from '../target.ts'

const elements = new Set(
  'p h3 h4 h5 h6 ul ol li blockquote pre code em strong s a br hr table thead tbody tr th td div'.split(' '),
)
const attributes = new Set('dir lang href rel class aria-label start style title'.split(' '))
const citations = new Map([
  [1, { href: '#source-1', label: 'Source 1' }],
  [2, { href: 'https://www.sefaria.org/Tanya', label: 'Source 2' }],
])

/** Renders Markdown of models and strangers; the output must be harmless markup for any input. */
export const markdown: Target = {
  name: 'markdown',
  covers: ['/src/web/', '/markdown-it/'],
  most: 4 * 1024,
  seeds: [
    '# A heading\n\nA **bold** answer [1] with _stress_ and `code` [2].\n\n- one\n- two\n  1. three\n',
    '> וְנֶפֶשׁ הַשֵּׁנִית [1]\n\n| a | b |\n|:--|--:|\n| 1 | 2 |\n\n---\n',
    '<script>alert(1)</script> <img src=x onerror=alert(1)> ![a](https://elsewhere.example/?q=secret)',
    '[a](javascript:alert(1)) [b](  JaVaScRiPt:alert`1`) [c](data:text/html,x) [d](https://e.example "t\\"onmouseover=x")',
    '```js" onload=x\ncode\n```\n\n[1]: https://evil.example\n<https://e.example> <a@b.example>',
  ],
  dictionary: [
    ...['    ', '> ', '- ', '1. ', '| ', '\n\n', '" onx="', '<a href="'],
    ...'[1] [2] [999] ]( ![ "> javascript: &#106;avascript: data: vbscript: https:// mailto: // \\'.split(
      ' ',
    ),
    ..."``` ~~~ |---| *** __ ~~ <!-- <svg/onload= &lt; &quot; ' `".split(' '),
  ],
  check(input) {
    const parser = new Parser({
      onopentag(name, given) {
        require(elements.has(name), 'only harmless elements', name)
        for (const [attribute, value] of Object.entries(given)) {
          require(attributes.has(attribute), 'only harmless attributes', name, attribute, value)
          if (attribute === 'style')
            require(/^text-align:(left|right|center)$/.test(value), 'only alignment', value)
          if (attribute === 'href' && value !== '')
            require(/^(https?:\/\/|mailto:|#source-1$)/i.test(
              value,
            ), 'links lead to the web or by mail', value)
        }
      },
      oncomment: (text) => require(false, 'no comments', text),
      onprocessinginstruction: (name) => require(false, 'no instructions', name),
    })
    parser.write(String(renderMarkdown(input.toString('utf8'), { citations })))
    parser.end()
  },
}
