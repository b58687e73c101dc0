/** The page of a failure, by HTTP status. */
export const errors = {
  titles: {
    400: 'Invalid request',
    403: 'Not allowed from here',
    404: 'Page not found',
    409: 'Not possible now',
    413: 'Too large',
    429: 'Too many requests',
    503: 'The service is busy',
  } as Readonly<Record<number, string>>,
  anyTitle: 'Something went wrong',
  notFound: 'It does not exist, or it belongs to another account.',
  startPage: 'Go to the start page',
  request: (id: string) => `Request ${id}`,
}
