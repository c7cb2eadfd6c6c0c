/** Addresses of database servers, which may hold passwords. */

/** Tells whether a location is the address of a database server. Every other location is a folder. */
export const isServerAddress = (location: string): boolean => /^postgres(ql)?:\/\//.test(location)

/** Tells whether a parameter of an address may be shown. */
export const isShownParameter = (name: string): boolean =>
  !/password|passwd|secret|token|credential|signature|(access|api)_?key/i.test(name)

/** Hides the user and password of an address within a parameter, such as an object storage address. Its parameters may also be secret. */
const hideInner = (value: string): string => {
  const address = value.replace(/\/\/[^/?]*@/, '//')
  const [place = '', parameters] = address.split(/\?(.*)/s)
  if (parameters === undefined) return address
  const shownParameters = parameters.split('&').filter(parameter => isShownParameter(parameter.split('=')[0] ?? ''))
  return shownParameters.length === 0 ? place : `${place}?${shownParameters.join('&')}`
}

/** Returns a location for messages and rows: the address of a server without its password. */
export function shownAddress(location: string): string {
  if (!isServerAddress(location)) return location
  try {
    const url = new URL(location)
    // A password with a slash or # that is not encoded ends up behind the host.
    if (/@/.test(url.pathname + url.hash)) return hideUser(location)
    url.password = ''
    for (const [name, value] of [...url.searchParams]) {
      if (!isShownParameter(name)) url.searchParams.delete(name)
      else if (value.includes('//')) url.searchParams.set(name, hideInner(value))
    }
    // The parser encodes slashes, which nobody would type.
    return url.href.replace(/\?.*$/, query =>
      query.replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%3F', '?').replaceAll('%3D', '='),
    )
  } catch {
    return hideUser(location)
  }
}

/** Hides all that may be a password in an address that cannot be read. */
const hideUser = (location: string): string => location.replace(/\/\/.*@/, '//').replace(/\?.*$/, '')
