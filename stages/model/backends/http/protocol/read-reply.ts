import type { ModelAnswer, ModelRequest } from '../../../model.js'
import type { ReceivedAnswer } from './failure.js'
import type { Protocol } from './protocol.js'

/** Finds the model that a server names in a reply. Quotes in answers are escaped, so this is a field of the reply. */
export const servedName = (text: string): string | undefined =>
  /"model(?:Version)?"\s*:\s*"([^"\\]{1,200})"/.exec(text)?.[1]

/** Reads a reply that did not come over a connection of its own, such as that of a batch, with the model that answered. */
export function readReply(
  protocol: Pick<Protocol, 'read'>,
  answer: ReceivedAnswer,
  request: ModelRequest,
): ModelAnswer {
  const served = servedName(answer.text)
  return { ...protocol.read(answer, request), ...(served === undefined ? {} : { served }) }
}
