import { PipelineError } from '../base/errors/errors.js'

/** Waits for all promises. If several reject with a PipelineError, it throws one with all their problems. */
export async function awaitAll<T extends readonly unknown[]>(promises: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled<unknown>(promises)
  const reasons = settled.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const userErrors = reasons.filter(reason => reason instanceof PipelineError)
  const [first] = userErrors
  // No error, or an error that is no mistake of the user.
  if (first === undefined || userErrors.length < reasons.length)
    return Promise.all(promises) as Promise<unknown> as Promise<T>
  if (userErrors.length === 1) throw first
  throw new PipelineError(
    first.code,
    userErrors.flatMap(reason => reason.said),
  )
}
