import { isAbsolute, relative, resolve } from 'node:path'

/** A path as a person who is in the working directory would type it: relative where it lies below, else absolute. */
export function shownPath(path: string): string {
  const absolute = resolve(path)
  const below = relative('.', absolute)
  return below === '' || below.startsWith('..') || isAbsolute(below) ? absolute : below
}
