import { staysInside } from '../hub/repository-file.js'

/**
 * The name of an archive's entry below the folder that it is unpacked into.
 *
 * @returns undefined where it leads out of the folder
 */
export function safeName(name: string): string | undefined {
  const plain = name
    .replace(/^(?:\.\/+)+/, '')
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
    .replace(/\/(?:\.\/)+/g, '/')
  return plain !== '' && staysInside(plain) ? plain : undefined
}

/** What macOS puts into archives beside each file. */
export const isLitter = (name: string): boolean => /(^|\/)(__MACOSX\/|\._[^/]*$|\.DS_Store$)/.test(name)
