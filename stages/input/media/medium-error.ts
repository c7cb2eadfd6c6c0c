import { storedText } from '../../../base/errors/option-words.js'

/** A medium of one doc that cannot be used. It fails the doc, not the run. */
export class MediumError extends Error {
  override readonly name = 'MediumError'

  constructor(message: string, options?: ErrorOptions) {
    // It is stored as the reason of a failure.
    super(storedText(message), options)
  }
}
