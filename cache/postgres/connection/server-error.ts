import { messageOf, PipelineError, systemCode, type ErrorFacts } from '../../../base/errors/errors.js'
import { command } from '../../../base/errors/option-words.js'

/** Codes of errors after which the same work may succeed once the server can be reached again. */
const outageCodes =
  /^(08\w{3}|57P0[1235]|53300|25P03|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EAI_AGAIN)$/
const outageMessages =
  /connection terminated|connection ended|timeout expired|query read timeout|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|unexpected end of/i

/** Tells whether the server could not be reached, is starting or shutting down, or has no free connection. */
export function isOutage(error: unknown): boolean {
  const code = findCode(error)
  if (code !== undefined && outageCodes.test(code)) return true
  return code === undefined && outageMessages.test(messageOf(error))
}

/** Tells whether the server is reachable, but accepts no connection at the moment. */
export const isBusy = (error: unknown): boolean => ['53300', '57P03'].includes(findCode(error) ?? '')

/** The code of a missing row that another one refers to. */
const missingRow = '23503'
/** The maximum number of retries for a missing row. If a garbage collection has freed the row, the next attempt makes it again. */
const mostMissing = 2
/** The maximum number of retries of a transaction that conflicts with others. */
const mostConflicts = 50

/**
 * Tells whether a transaction should be retried because it conflicted with another one. Other errors of the server's classes 22, 23 and 42 are
 * permanent.
 *
 * @param before the number of earlier conflicts
 */
export function isConflict(error: unknown, before: number): boolean {
  const code = findCode(error) ?? ''
  if (code === missingRow) return before < mostMissing
  return ['40001', '40P01', '55P03'].includes(code) && before < mostConflicts
}

/** Finds the code of an error. If a name has several addresses, the error of each is in `errors`. */
function findCode(error: unknown): string | undefined {
  if (error instanceof AggregateError && systemCode(error) === undefined) return systemCode(error.errors[0])
  return systemCode(error)
}

/** Says in a few words why the server could not be reached. */
export function describeOutage(error: unknown): string {
  const code = findCode(error) ?? ''
  if (code === 'ECONNREFUSED') return 'no server accepts connections there'
  if (code === '53300') return 'the server has no free connection'
  if (code === '57P03') return 'the server is starting'
  if (/^57P0[12]$/.test(code)) return 'the server is shutting down'
  if (/^(EAI_AGAIN|ENOTFOUND)$/.test(code)) return "the server's name is unknown"
  return oneLine(error instanceof AggregateError ? messageOf(error.errors[0]) : messageOf(error))
}

const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ')

/** Explains an error of the server or the connection to the user. Any other error is returned as it is. */
export function serverError(storeName: string, error: unknown): Error {
  if (error instanceof PipelineError) return error
  const code = findCode(error) ?? ''
  const say = (text: string, facts: ErrorFacts = {}): PipelineError =>
    new PipelineError('store', `the store ${storeName} ${text}`, { ...facts, cause: withoutValues(error) })
  const tls = describeTlsError(code, messageOf(error))
  if (tls !== undefined) return say(tls)
  if (/^28/.test(code) && /no encryption/.test(messageOf(error)))
    return say(
      `refuses this user: ${oneLine(messageOf(error))}. The server may want TLS: add sslmode=require to the address.`,
      { reason: 'store-failing' },
    )
  if (/client password must be a string/.test(messageOf(error)))
    return say('wants a password of this user. Give it as libpq has it, in PGPASSWORD or in ~/.pgpass.')
  if (/^28/.test(code) || /SASL|no password|password must be/i.test(messageOf(error)))
    return say(
      `refuses this user: ${oneLine(messageOf(error))}. Give the password as libpq has it, in PGPASSWORD or in ~/.pgpass.`,
      { reason: 'store-failing' },
    )
  if (code === '3D000') return say(`has no such database: ${messageOf(error)}. Create it with createdb.`)
  if (code === '42501')
    return say(`does not let this user do that: ${messageOf(error)}. Grant it the right.`, { reason: 'store-failing' })
  if (code === '25006') return say('is read-only at this server, such as at a standby.', { reason: 'store-read-only' })
  if (/^(53200|53400|58\w{3}|57014|54\w{3})$/.test(code))
    return say(
      `cannot work on a statement: ${oneLine(messageOf(error))} (${code}). All that was answered so far is kept; repair the server or raise its limit, and run the same command again.`,
      { reason: 'store-failing' },
    )
  if (code === '53100')
    return say(
      `has no space left (${oneLine(messageOf(error))}). All that was answered so far is kept; free some space at the server and run the same command again.`,
      { reason: 'store-full' },
    )
  if (code === '42P01' || code === '42703')
    return say(`lacks a table or column (${oneLine(messageOf(error))}): restore it from its backup.`, {
      reason: 'store-damaged',
    })
  if (/^23/.test(code))
    return say(
      `refused a row that does not fit the others (${oneLine(messageOf(error))}). Find what is damaged: ${command('cache verify')}`,
      { reason: 'store-damaged' },
    )
  if (/^22/.test(code)) return say(`cannot hold a value of this row (${oneLine(messageOf(error))}).`)
  if (isOutage(error) || code === 'ENOTFOUND') return say(`can't be reached: ${describeOutage(error)}.`)
  if (code !== '' && /^[0-9A-Z]{5}$/.test(code))
    return say(`refused a statement: ${oneLine(messageOf(error))} (${code})`)
  return error instanceof Error ? error : new Error(messageOf(error))
}

/** Explains an error of TLS as the end of a sentence. Undefined for any other error. */
function describeTlsError(code: string, message: string): string | undefined {
  if (/does not support SSL connections/.test(message))
    return 'has no TLS, which sslmode in the address asks for. Turn it on at the server, or use sslmode=disable in a network that you trust.'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `shows the certificate of another server (${oneLine(message)}). Name the server in the address as its certificate does.`
  if (
    /^(DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT\w*|UNABLE_TO_VERIFY_LEAF_SIGNATURE)$/.test(
      code,
    )
  )
    return 'shows a certificate that nobody vouches for. Name the file of the authority that signed it: sslrootcert=/etc/ca.pem in the address.'
  if (/^(CERT_\w+|ERR_SSL_\w+|ERR_TLS_\w+|EPROTO)$/.test(code)) return `can't be reached by TLS: ${oneLine(message)}.`
  return undefined
}

/** The server's errors quote the values of rows in `detail`, which may be prompts and answers. */
const withoutValues = (error: unknown): Error => Object.assign(new Error(messageOf(error)), { code: findCode(error) })
