/** Words the protocol's errors about malformed requests, which the SDK writes as the JSON of its schema's issues. */
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ErrorCode, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import type { z } from 'zod'
import { isSchemaIssue, mistakeLines } from '../../../base/errors/schema-mistakes.js'

/** Makes a transport send errors in plain words. */
export function withPlainErrors(transport: Transport): Transport {
  const send = transport.send.bind(transport)
  transport.send = (message, options) => send(plain(message), options)
  return transport
}

function plain(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message)) return message
  const issues = issuesIn(message.error.message)
  if (issues === undefined) return message
  const lines = mistakeLines(issues, undefined, { from: 'json', isGone: true, whole: 'the request' })
  return { ...message, error: { code: ErrorCode.InvalidParams, message: lines.join('\n') } }
}

function issuesIn(text: string): readonly z.core.$ZodIssue[] | undefined {
  const start = text.indexOf('[')
  if (start === -1) return undefined
  try {
    const issues: unknown = JSON.parse(text.slice(start))
    return Array.isArray(issues) && issues.every(isSchemaIssue) ? issues : undefined
  } catch {
    return undefined
  }
}
