import { errorData, PipelineError } from './errors.js'

/**
 * Hides secrets in the texts of an error and its causes. An error that is no `PipelineError` stays the same object, because callers use its class and
 * fields.
 *
 * @param hide replaces secrets in a text
 */
export function hiddenError(error: unknown, hide: (text: string) => string): unknown {
  if (typeof error === 'string') return hide(error)
  if (!(error instanceof Error)) return error
  const cause = error.cause === undefined ? {} : { cause: hiddenError(error.cause, hide) }
  if (error instanceof PipelineError) {
    const { code, problems, ...facts } = errorData(error)
    const maskedProblems = problems.map(hide)
    const isSame = maskedProblems.every((text, index) => text === problems[index]) && cause.cause === error.cause
    return isSame ? error : new PipelineError(code, maskedProblems, { ...facts, ...cause })
  }
  const texts = { message: hide(error.message), ...(error.stack !== undefined && { stack: hide(error.stack) }) }
  for (const [name, value] of Object.entries({ ...texts, ...cause })) {
    if (Reflect.get(error, name) === value) continue
    const isSet = Reflect.defineProperty(error, name, { value, configurable: true, enumerable: false, writable: true })
    // A frozen error cannot be changed.
    if (!isSet) return new Error(texts.message, cause)
  }
  return error
}
