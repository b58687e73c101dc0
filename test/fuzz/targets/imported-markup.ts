import { markdownBlocks } from '../../../src/sources/importers/markdown/blocks.ts'
import { readSegment } from '../../../src/sources/importers/markup.ts'
import { parseCsvLine } from '../../../src/sources/importers/sefaria/format/csv.ts'
import { readHtml } from '../../../src/workspace/documents/html.ts'
import { Unreadable } from '../../../src/workspace/documents/markup.ts'
import { TextFull, TextWriter } from '../../../src/workspace/documents/text-writer.ts'
import { require, type Target } from '../target.ts'

const storable = (text: string) => !text.includes('\0') && text.isWellFormed()

/** Cleans the HTML of imported works and uploaded pages. */
export const importedMarkup: Target = {
  name: 'imported-markup',
  covers: ['/src/sources/sefaria/', '/src/workspace/documents/', '/htmlparser2/'],
  most: 8 * 1024,
  seeds: [
    'The soul<sup class="footnote-marker">1</sup><i class="footnote">A note <b>in</b> it.</i>, that is <i data-overlay="Vilna" data-value="2a"></i>one.',
    '<b>וְנֶפֶשׁ</b> <span class="mam-kq">הַשֵּׁנִית</span><br>line <sup>3</sup>&nbsp;&amp;&#1488;&bogus;',
    '<!doctype html><html><head><title>T</title><meta charset="windows-1255"><style>p{}</style></head><body><h1>A</h1><p hidden>no</p><ul><li>x<li>y</ul><pre>a\n b</pre><table><tr><td>1<td>2</table><script>alert(1)</script></body></html>',
    'a,"b ""c"" d",,"e\n',
    '<p>unclosed <i class="footnote">note <i>x</i> y <svg><script>1</script></svg> <template><p>z',
  ],
  dictionary: [
    ...['<i class="footnote">', '<sup class="footnote-marker">', '<img src=x>', '<span hidden>'],
    ...['<a href="', '\ue0ff'],
    ...'</i> <sup> </sup> <br/> <p> </p> <!-- --> <![CDATA[ <script> </script> <svg> <template> <pre> <td>'.split(
      ' ',
    ),
    ...'&amp; &#0; &#xd800; &#1114112; charset=utf-16 charset=iso-2022-jp "," "" =\' <?xml <!DOCTYPE'.split(
      ' ',
    ),
  ],
  check(input) {
    const text = input.toString('utf8')
    const { text: plain, notes } = readSegment(text)
    for (const part of [plain, ...notes]) require(storable(part), 'an imported text can be stored', part)
    require(plain === plain.trim(), 'no blanks around a text', plain)
    for (const block of markdownBlocks(text.replaceAll('\0', '').toWellFormed())) {
      require(storable(block.text) && block.text !== '', 'a block has words that can be stored', block.text)
    }
    parseCsvLine(text)
    const writer = new TextWriter(100_000)
    try {
      readHtml(input, writer)
    } catch (error) {
      if (!(error instanceof Unreadable) && !(error instanceof TextFull)) throw error
    }
  },
}
