import { isAbsolute, relative, resolve } from 'node:path'
import { isServerAddress, shownAddress } from '../text/server-address.js'

/**
 * Formats a path for messages: relative if it is below the working directory, otherwise absolute. The address of a server, which may stand where a folder
 * does, is formatted without its password.
 */
export function shownPath(path: string): string {
  if (isServerAddress(path)) return shownAddress(path)
  const absolute = resolve(path)
  const below = relative('.', absolute)
  return below === '' || below.startsWith('..') || isAbsolute(below) ? absolute : below
}
