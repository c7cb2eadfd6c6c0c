/** A medium of one doc that can't be used. Fails that doc, not the run. */
export class MediumError extends Error {
  override readonly name = 'MediumError'
}
