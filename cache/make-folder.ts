import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../base/errors.js'

/**
 * Makes a folder with those above it, where they are not there. Node's own recursive form never returns where the system
 * says of each that it is not there, as below `/proc` or in a folder that was removed, and tells a full disk as that.
 */
export function makeFolder(path: string): void {
  try {
    mkdirSync(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' && isMissing(dirname(path))) {
      makeFolder(dirname(path))
      makeFolder(path)
    } else if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}

const isMissing = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) === undefined
