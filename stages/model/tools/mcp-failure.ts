import { systemCode } from '../../../base/errors/errors.js'
import { unreachableCodes } from '../backends/http/wire/connection-failure.js'
import type { ToolServer } from './tool-server.js'

/** The kind of a call's failure, which decides the next step. */
export type CallFailure =
  /** The server rejected the call, or took too long. The model gets the error. */
  | { readonly type: 'refused'; readonly message: string }
  /** The server did not get the call: it cannot be reached, or accepts no calls now. */
  | { readonly type: 'away'; readonly message: string }
  /** The server lost its session, for example by a restart, and did not run the call. */
  | { readonly type: 'forgotten'; readonly message: string }
  /** The server may have got the call, and was gone before it answered. */
  | { readonly type: 'lost'; readonly message: string }
  /** The server denies access. */
  | { readonly type: 'shut'; readonly message: string }

/** @param failure the error, and in `isSent` whether there was a connection to send the call */
export function makeCallFailure(
  error: unknown,
  failure: { readonly server: ToolServer; readonly isSent: boolean; readonly message: string },
): CallFailure {
  return { type: classifyFailure(error, failure), message: failure.message }
}

function classifyFailure(
  error: unknown,
  { server, isSent }: { readonly server: ToolServer; readonly isSent: boolean },
): CallFailure['type'] {
  if (server.type === 'stdio') return 'lost'
  const status = readHttpStatus(error)
  if (status === undefined)
    return !isSent || unreachableCodes.has(systemCode(error) ?? '') || isUnreachable(error) ? 'away' : 'lost'
  if (isAccess(error)) return 'shut'
  if (busyStatuses.has(status)) return 'away'
  if (gatewayStatuses.has(status)) return isSent ? 'lost' : 'away'
  if (isSent && (status === 404 || status === 400)) return 'forgotten'
  return isSent ? 'refused' : 'away'
}

/** The statuses of a server that accepts no request now. */
const busyStatuses: ReadonlySet<number> = new Set([429, 503])
/** The statuses of a gateway that may have passed on the request. */
const gatewayStatuses: ReadonlySet<number> = new Set([408, 502, 504])

const isUnreachable = (error: unknown): boolean =>
  error instanceof Error && error.cause instanceof Error && unreachableCodes.has(systemCode(error.cause) ?? '')

/** Returns the HTTP status that a server sent instead of a message. */
export const readHttpStatus = (error: unknown): number | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'number' && error.code >= 100
    ? error.code
    : undefined

export const isAccess = (error: unknown): boolean => [401, 403].includes(readHttpStatus(error) ?? 0)

/**
 * Tells whether a server implements the protocol's first version. It answers 4xx to a request for a session, and is
 * then called through events. A denied access does not count.
 */
export function isOlderServer(error: unknown): boolean {
  const status = readHttpStatus(error) ?? 0
  return status >= 400 && status < 500 && status !== 429 && !isAccess(error)
}
