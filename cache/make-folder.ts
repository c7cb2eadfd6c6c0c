import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../base/errors/errors.js'

/**
 * Makes a folder with those above it, where they are not there. Node's own recursive form never returns where the system
 * says of each that it is not there, as below `/proc` or in a folder that was removed, and tells a full disk as that.
 */
export function makeFolder(path: string): void {
  if (refusal(path) === undefined) return
  if (isMissing(dirname(path))) makeFolder(dirname(path))
  // Also where the folder above is there by now: another process may have made it in between.
  const left = refusal(path)
  if (left !== undefined) throw left
}

/** Why the folder is not there after it was tried to be made; only an error that the folder above may explain is given back. */
function refusal(path: string): Error | undefined {
  try {
    mkdirSync(path)
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT' && error instanceof Error) return error
    if (code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
  return undefined
}

const isMissing = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) === undefined
