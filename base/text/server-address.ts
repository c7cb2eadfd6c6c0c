/** Addresses of database servers, which may hold passwords. */

/** Tells whether a location is the address of a database server. Every other location is a folder. */
export const isServerAddress = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** Tells whether a parameter of an address may be shown. */
export const isShownParameter = (name: string): boolean => !/password/i.test(name)

/** Returns a location for messages and rows: the address of a server without its password. */
export function shownAddress(location: string): string {
  if (!isServerAddress(location)) return location
  try {
    const url = new URL(location)
    // A password with a slash or # that is not encoded ends up behind the host.
    if (/@/.test(url.pathname + url.hash)) return hideUser(location)
    url.password = ''
    for (const name of [...url.searchParams.keys()]) if (!isShownParameter(name)) url.searchParams.delete(name)
    // The parser encodes slashes, which nobody would type.
    return url.href.replace(/\?.*$/, query => query.replaceAll('%2F', '/').replaceAll('%3A', ':'))
  } catch {
    return hideUser(location)
  }
}

/** Hides all that may be a password in an address that cannot be read. */
const hideUser = (location: string): string => location.replace(/\/\/.*@/, '//').replace(/\?.*$/, '')
