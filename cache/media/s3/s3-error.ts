import { messageOf, PipelineError, systemCode } from '../../../base/errors/errors.js'

/** Errors of the connection after which the same call may succeed. */
const brokenConnection =
  /^(ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN|ERR_STREAM_PREMATURE_CLOSE|HPE_\w+|UND_ERR_\w+)$/
const brokenMessage = /socket hang up|aborted|premature close|terminated|timed? ?out|Parse Error/i
/** Names of errors that are retried, whatever their status. */
const busyNames =
  /^(SlowDown|ThrottlingException|Throttling|TooManyRequests\w*|RequestTimeout|RequestTimeTooSkewed|InternalError|ServiceUnavailable|OperationAborted|TimeoutError)$/

/** The error of a server that sends nothing for too long. */
export const silenceError = (): Error => Object.assign(new Error('the server sends nothing'), { code: 'ETIMEDOUT' })

/** Returns the HTTP status of the reply that caused an error. */
export function findStatus(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { $metadata, $response } = error as {
    readonly $metadata?: { readonly httpStatusCode?: number }
    readonly $response?: { readonly statusCode?: number }
  }
  return $metadata?.httpStatusCode ?? $response?.statusCode
}

const findName = (error: unknown): string => (error instanceof Error ? error.name : '')

/** Finds the code of an error. If a name has several addresses, the error of each is in `errors`. */
const findCode = (error: unknown): string =>
  (error instanceof AggregateError ? systemCode(error.errors[0]) : undefined) ?? systemCode(error) ?? ''

/** Tells whether the same call may succeed later. */
export function isTransient(error: unknown): boolean {
  const status = findStatus(error)
  if (busyNames.test(findName(error)) || status === 429 || (status !== undefined && status >= 500 && status !== 501))
    return true
  // An error with another status is an answer of the server.
  if (status !== undefined && status >= 300) return false
  return brokenConnection.test(findCode(error)) || (findCode(error) === '' && brokenMessage.test(messageOf(error)))
}

/** Tells whether the server has no object with this key. */
export const isMissingObject = (error: unknown): boolean =>
  findName(error) === 'NoSuchKey' || (findStatus(error) === 404 && findName(error) !== 'NoSuchBucket')

/** The longest text of a server that is shown. */
const mostShown = 300

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, mostShown)

/** Says in a few words why a call failed. */
export function describeS3Error(error: unknown): string {
  const status = findStatus(error)
  const [code, name] = [findCode(error), findName(error)]
  if (code === 'ECONNREFUSED') return 'no server accepts connections there'
  if (code === 'EAI_AGAIN' || code === 'ENOTFOUND') return "the server's name is unknown"
  if (code === 'ETIMEDOUT') return 'the server does not answer'
  const said = error instanceof AggregateError ? messageOf(error.errors[0]) : messageOf(error)
  // A proxy may reply with an HTML page. The SDK then only reports invalid XML.
  if (status !== undefined && /deseriali[sz]ation|char .* is not expected|Unexpected/i.test(said))
    return `status ${status}`
  const words = ['', 'Error', 'UnknownError', 'Unknown'].includes(name) ? oneLine(said) : `${name}: ${oneLine(said)}`
  return status === undefined ? words : `status ${status}, ${words}`
}

/** Explains an error of object storage to the user. The error of the SDK is not its cause, because it holds the request with its credentials. */
export function explainS3Error(location: string, error: unknown): Error {
  if (error instanceof PipelineError) return error
  const cause = Object.assign(new Error(describeS3Error(error)), { code: findCode(error) })
  const say = (text: string): PipelineError => new PipelineError('store', `the media at ${location} ${text}`, { cause })
  const name = findName(error)
  if (name === 'CredentialsProviderError')
    return say(
      "can't be read, because no credentials are found. Give them as the tools of AWS have them: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile in ~/.aws.",
    )
  if (name === 'NoSuchBucket') return say('have no bucket there: create it, or correct media=.')
  if (findStatus(error) === 301 || /^(PermanentRedirect|AuthorizationHeaderMalformed|IllegalLocation\w*)$/.test(name))
    return say(`are in another region (${describeS3Error(error)}). Name it with region=.`)
  if (findStatus(error) === 401 || findStatus(error) === 403)
    return say(
      `can't be used by this user (${describeS3Error(error)}). The keys must be those of a user with the rights s3:ListBucket on the bucket, and s3:GetObject, s3:PutObject, s3:DeleteObject and s3:AbortMultipartUpload on its objects.`,
    )
  if (isTransient(error) || findCode(error) === 'ENOTFOUND') return say(`can't be reached: ${describeS3Error(error)}.`)
  if (findStatus(error) !== undefined) return say(`can't be used: ${describeS3Error(error)}.`)
  return error instanceof Error ? error : new Error(messageOf(error))
}
