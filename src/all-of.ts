import { PipelineError } from '../base/errors.js'

/** All, or all that is wrong with them at once. */
export async function allOf<T extends readonly unknown[]>(promises: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const settled = await Promise.allSettled<unknown>(promises)
  const reasons = settled.flatMap(result => (result.status === 'rejected' ? [result.reason as unknown] : []))
  const told = reasons.filter(reason => reason instanceof PipelineError)
  const [first] = told
  // Where nothing is wrong, or something that is no one's mistake.
  if (first === undefined || told.length < reasons.length)
    return Promise.all(promises) as Promise<unknown> as Promise<T>
  throw new PipelineError(
    first.code,
    told.flatMap(reason => reason.said),
  )
}
