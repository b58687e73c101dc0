import { html } from 'hono/html'

/** `/operator/feedback`: what readers think of answers. */
export const feedback = {
  about: html`What readers think of answers. The file has one question per line, in the form that
<code>npm run -s service -- eval</code> reads.`,
  download: 'Download the file',
  none: 'No feedback yet',
  noneHint: 'Below each answer, readers can say whether it is good or bad.',
  good: 'good',
  bad: 'bad',
  sources: 'Sources:',
}
