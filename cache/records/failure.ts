/** Why a request has no answer. See {@link permanentFailures}. */
export type FailureClass = 'rate_limited' | 'timeout' | 'server' | 'invalid_request' | 'refused' | 'media' | 'budget'

/** Classes that another try would meet again: they stay failed until `--retry-failed`. */
export const permanentFailures: ReadonlySet<FailureClass> = new Set(['invalid_request', 'refused', 'media'])

export interface Failure {
  readonly class: FailureClass
  readonly message: string
  readonly attempts: number
  /** Of a permanent class, and yet to be asked again next time: whoever asked was refused, not the request. */
  readonly opensAgain?: boolean
}

/** Whether another try would meet the same: then it waits for `--retry-failed`. */
export const isPermanent = ({
  class: failureClass,
  opensAgain = false,
}: Pick<Failure, 'class' | 'opensAgain'>): boolean => permanentFailures.has(failureClass) && !opensAgain
