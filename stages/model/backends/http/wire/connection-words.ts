import { messageOf, systemCode } from '../../../../../base/errors/errors.js'

/** Error codes of a connection that could not be established. */
export const unreachableCodes: ReadonlySet<string> = new Set(
  'ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH EHOSTDOWN UND_ERR_CONNECT_TIMEOUT'.split(' '),
)

/** The words for connections that could not be established, whatever is at their end. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there (ECONNREFUSED)',
  ENOTFOUND: 'nobody knows its host (ENOTFOUND)',
  EAI_AGAIN: 'the name of its host cannot be looked up now (EAI_AGAIN)',
  EHOSTUNREACH: 'its host cannot be reached (EHOSTUNREACH)',
  ENETUNREACH: 'its network cannot be reached (ENETUNREACH)',
  UND_ERR_CONNECT_TIMEOUT: 'no connection within 10 s',
}

/** Explains why a connection could not be established, without advice. */
export const explainConnection = (error: unknown): string => words[systemCode(error) ?? ''] ?? messageOf(error)
