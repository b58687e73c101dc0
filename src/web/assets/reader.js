// Scrolls to the quoted words or the passage that was asked for. Without scripts a link above the text leads there.
if (location.hash === '') {
  const asked =
    document.querySelector('.segments mark') ?? document.querySelector('.segment.here:not(:first-child)')
  asked?.scrollIntoView({ block: 'center' })
}
