// Brings the words or the passage that was asked for into view. Without scripts a link above the text leads there.
if (location.hash === '') {
  const asked =
    document.querySelector('.segments mark') ?? document.querySelector('.segment.here:not(:first-child)')
  asked?.scrollIntoView({ block: 'center' })
}
