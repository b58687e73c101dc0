/**
 * The URL of an API request without slashes at the end of its path: some clients join a base URL and a path with
 * one too many. Pages keep theirs.
 */
export function withoutTrailingSlash({ url = '' }: { readonly url?: string | undefined }): string {
  if (!url.startsWith('/v1/')) return url
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  if (!path.endsWith('/')) return url
  let end = path.length
  while (path[end - 1] === '/') end -= 1
  return path.slice(0, end) + url.slice(path.length)
}
