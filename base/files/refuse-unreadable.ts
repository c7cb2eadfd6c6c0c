import { PipelineError } from '../errors/errors.js'
import { fileTrouble } from './files.js'
import { shownPath } from './shown-path.js'

/**
 * Makes the handler of errors of a file that somebody named, such as a pipe, or a file without permission. Other errors are thrown unchanged.
 *
 * @throws PipelineError (config) that names the file
 */
export const refuseUnreadable =
  (path: string) =>
  (error: unknown): never => {
    const why = fileTrouble(error)
    throw why === undefined ? error : new PipelineError('config', `${shownPath(path)}: ${why}`, { cause: error })
  }
