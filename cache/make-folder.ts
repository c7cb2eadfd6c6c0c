import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { systemCode } from '../base/errors/errors.js'

/**
 * Makes a folder and its missing parents. Node's recursive `mkdir` never returns if the system reports every parent as
 * missing, as below `/proc` or in a removed folder. It also reports a full disk as a missing folder.
 */
export function makeFolder(path: string): void {
  if (refusal(path) === undefined) return
  if (isMissing(dirname(path))) makeFolder(dirname(path))
  // The second attempt is made in any case, because another process may have created the parent meanwhile.
  const error = refusal(path)
  if (error !== undefined) throw error
}

/** Tries to make the folder. It returns an error that a missing parent may explain, and throws any other. */
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
