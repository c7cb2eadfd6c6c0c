import { errors } from 'undici'
import { messageOf, systemCode } from '../../../../../base/errors/errors.js'
import { AttemptError } from '../../../model.js'
import { shownBaseUrl, type Endpoint } from '../protocol/endpoint.js'
import { shownText } from '../protocol/failure.js'
import { explainConnection, unreachableCodes } from './connection-words.js'
import { describeProxyFailure } from './proxy.js'

export { unreachableCodes }

/** The phase in which an attempt failed. */
export type Phase = 'connecting' | 'sending' | 'waiting' | 'receiving'

const timeoutCodes: ReadonlySet<string> = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT'])
const closedCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ECONNABORTED'])
/** TLS errors if the server does not use TLS. */
const noTlsCodes = /^(ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG|ERR_SSL_RECORD_LAYER_FAILURE|EPROTO)$/
const certificateCodes = /CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET_ISSUER)|ALTNAME/

/** Explains a failed connection or an incomplete response, with what the user can do. */
export function connectionFailure(error: unknown, endpoint: Endpoint, phase: Phase): AttemptError {
  if (error instanceof AttemptError) return error
  const code = systemCode(error) ?? ''
  const isHopeless = noTlsCodes.test(code) || certificateCodes.test(code)
  const isUnreachable =
    unreachableCodes.has(code) || (phase === 'connecting' && (closedCodes.has(code) || timeoutCodes.has(code)))
  const { proxy, origin } = endpoint
  // Only the proxy was dialled. TLS goes through a tunnel, whose errors name the proxy already.
  const words =
    isUnreachable && proxy !== undefined
      ? describeProxyFailure(proxy, origin, explainConnection(error))
      : isNoHttp(error)
        ? `answered with something else than HTTP${secureHint(endpoint)}`
        : (explainCode(code, phase) ?? shownText(messageOf(error) || code, endpoint))
  return new AttemptError(timeoutCodes.has(code) ? 'timeout' : 'server', `${shownBaseUrl(endpoint)}: ${words}`, {
    isRetryable: !isHopeless,
    isUnreachable,
    cause: error,
  })
}

const isNoHttp = (error: unknown): boolean => error instanceof errors.HTTPParserError

function explainCode(code: string, phase: Phase): string | undefined {
  if (closedCodes.has(code)) return `the server closed the connection ${closedWhen[phase]} (${code})`
  if (noTlsCodes.test(code)) return `speaks no TLS (${code}): is it http:// and not https://?`
  if (certificateCodes.test(code))
    return `its certificate is not trusted (${code}): use the name that it is for, or set NODE_EXTRA_CA_CERTS to the file of its authority`
  return fixedWords[code]
}

const closedWhen: Readonly<Record<Phase, string>> = {
  connecting: 'before the request',
  sending: 'while the request was being sent; it may be too large for it',
  waiting: 'before its answer',
  receiving: 'amid its answer',
}

const fixedWords: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED): is the server running, and the port right?',
  ENOTFOUND: 'nobody knows this host (ENOTFOUND): check base_url, and the network',
  EAI_AGAIN: 'the name of the host cannot be looked up now (EAI_AGAIN): check the network',
  EHOSTUNREACH: 'the host cannot be reached (EHOSTUNREACH): check base_url, and the network',
  ENETUNREACH: 'the network of the host cannot be reached (ENETUNREACH): check the network',
  ETIMEDOUT: 'the connection was lost without a message (ETIMEDOUT)',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s: check base_url, and whether a firewall is in between',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is shorter or longer than its content-length says',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'the answer is larger than 64 MB',
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
}

const secureHint = ({ origin }: Endpoint): string =>
  origin.startsWith('http:') ? ': is it an API, and if it speaks TLS, https://?' : ': is it an API?'
