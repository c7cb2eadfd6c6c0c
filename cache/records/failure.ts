/** The class of the reason why a request has no answer. See {@link permanentFailures}. */
export type FailureClass = 'rate_limited' | 'timeout' | 'server' | 'invalid_request' | 'refused' | 'media' | 'budget'

/** Classes that fail again if retried. Such items stay failed until `--retry-failed`. */
export const permanentFailures: ReadonlySet<FailureClass> = new Set(['invalid_request', 'refused', 'media'])

/** The reason why a request has no answer. */
export interface Failure {
  readonly class: FailureClass
  readonly message: string
  readonly attempts: number
  /**
   * True if the next start retries the request although its class is permanent: the server refused the client's access,
   * not the request itself.
   */
  readonly opensAgain?: boolean
}

/** Tells whether a retry would fail again. Such a failure waits for `--retry-failed`. */
export const isPermanent = ({
  class: failureClass,
  opensAgain = false,
}: Pick<Failure, 'class' | 'opensAgain'>): boolean => permanentFailures.has(failureClass) && !opensAgain
