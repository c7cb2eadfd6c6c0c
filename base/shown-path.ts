import { isAbsolute, relative, resolve } from 'node:path'

/** A path as a person who is in the folder `from` would type it: relative where it lies below, else absolute. */
export function shownPath(path: string, from = '.'): string {
  const absolute = resolve(path)
  const below = relative(from, absolute)
  return below === '' || below.startsWith('..') || isAbsolute(below) ? absolute : below
}
