import { isAbsolute, relative, resolve } from 'node:path'

/** Formats a path for messages: relative if it is below the working directory, otherwise absolute. */
export function shownPath(path: string): string {
  const absolute = resolve(path)
  const below = relative('.', absolute)
  return below === '' || below.startsWith('..') || isAbsolute(below) ? absolute : below
}
